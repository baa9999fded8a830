// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import org.jspecify.annotations.Nullable;

/**
 * Thrown for a setting, a registration or a database setting that would lose or duplicate messages, before any message
 * is handled.
 */
public class InboxConfigurationException extends InboxException {

    private static final long serialVersionUID = 1L;

    public InboxConfigurationException(String message) {
        this(message, null);
    }

    public InboxConfigurationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
