// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

/** A sender whose provider can be asked what became of an intent. Thread-safe. */
public interface ReconcilingSender<T> extends IntentSender<T> {

    /**
     * Asks the provider about an intent that was tried and whose outcome nobody knows. Called before it is tried again.
     * Whatever is thrown means that it is still not known.
     *
     * @throws Exception when the provider could not be asked
     */
    ReconcileResult reconcile(Intent<T> intent) throws Exception;
}
