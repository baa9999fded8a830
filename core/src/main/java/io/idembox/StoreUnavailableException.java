// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** The database does not answer. Nothing was acknowledged; deliver again when it is back. */
public final class StoreUnavailableException extends InboxException {

    private static final long serialVersionUID = 1L;

    public StoreUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
