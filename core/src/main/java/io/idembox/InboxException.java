// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import org.jspecify.annotations.Nullable;

/** The superclass of all exceptions of the inbox. Messages state what happened, what happens next and what to do. */
public abstract class InboxException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    InboxException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
