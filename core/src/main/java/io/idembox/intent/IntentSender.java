// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

/**
 * Sends an intent: calls the provider, outside any transaction. Thread-safe.
 *
 * It may be called again for the same intent: after a crash, after its lease expired, or when its result requests a
 * retry. Pass {@link Intent#key()} to the provider. A sender that can ask the provider for the outcome of an intent
 * implements {@link ReconcilingSender}.
 */
@FunctionalInterface
public interface IntentSender<T> {

    /**
     * Calls the provider and returns the result. Any exception means that the outcome is unknown:
     * {@link SendResult.Unknown}.
     *
     * @throws Exception when it is unknown whether the provider executed the request
     */
    SendResult send(Intent<T> intent) throws Exception;
}
