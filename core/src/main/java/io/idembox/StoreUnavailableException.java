// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** Thrown when the database is unavailable. Nothing was acknowledged; deliver again later. */
public final class StoreUnavailableException extends InboxException {

    private static final long serialVersionUID = 1L;

    public StoreUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
