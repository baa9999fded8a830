// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

/** A sender that can ask its provider for the outcome of an intent. Thread-safe. */
public interface ReconcilingSender<T> extends IntentSender<T> {

    /**
     * Asks the provider about an intent whose outcome is unknown. Called before the intent is sent again. Any exception
     * means that the outcome is still unknown.
     *
     * @throws Exception when the provider could not be asked
     */
    ReconcileResult reconcile(Intent<T> intent) throws Exception;
}
