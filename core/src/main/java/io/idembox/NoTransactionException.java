// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/**
 * Thrown when an operation that must commit together with a business write is called outside a transaction. Nothing was
 * written.
 */
public final class NoTransactionException extends InboxException {

    private static final long serialVersionUID = 1L;

    public NoTransactionException(String message) {
        super(message, null);
    }
}
