// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.sql.SQLException;

/** A deferred write changed another number of rows than its handler expects. */
public final class RowCountException extends SQLException {

    private static final long serialVersionUID = 1L;

    RowCountException(String message) {
        super(message, "02000");
    }
}
