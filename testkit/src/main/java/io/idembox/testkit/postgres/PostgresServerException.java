// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import io.idembox.testkit.process.ServerException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Thrown when an operation on a {@link PostgresServer} fails; shows the last lines of the server's log. */
public final class PostgresServerException extends ServerException {

    private static final long serialVersionUID = 1L;

    PostgresServerException(String message) {
        super(message);
    }

    PostgresServerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    PostgresServerException(String message, List<String> log) {
        super(message, log);
    }
}
