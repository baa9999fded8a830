// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import org.jspecify.annotations.Nullable;

/** Thrown when a payload cannot be read or is not valid. The message is parked with its raw bytes. */
public final class PayloadException extends InboxException {

    private static final long serialVersionUID = 1L;

    public PayloadException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
