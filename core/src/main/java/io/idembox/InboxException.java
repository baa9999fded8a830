// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import org.jspecify.annotations.Nullable;

/** The root of what the inbox throws. Its messages say what happened, what happens next and what to do. */
public abstract class InboxException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    InboxException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
