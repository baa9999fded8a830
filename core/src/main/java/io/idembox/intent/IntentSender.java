// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

/**
 * Brings an intent about: calls the provider, outside any transaction. Thread-safe.
 *
 * <p>It may be called again for the same intent: after a crash, when the lease ran out, or when it said so itself. Hand
 * {@link Intent#key()} to the provider. A sender that can ask the provider what became of an intent implements
 * {@link ReconcilingSender}.
 */
@FunctionalInterface
public interface IntentSender<T> {

    /**
     * Does it, and says what became of it. Whatever is thrown means that nobody knows: {@link SendResult.Unknown}.
     *
     * @throws Exception when it is not known whether the provider did it
     */
    SendResult send(Intent<T> intent) throws Exception;
}
