// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** Something that has to commit together with a business write was asked for outside a transaction. Nothing was written. */
public final class NoTransactionException extends InboxException {

    private static final long serialVersionUID = 1L;

    public NoTransactionException(String message) {
        super(message, null);
    }
}
