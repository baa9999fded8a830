// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.process;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Thrown when an operation on a server fails; shows the last lines of the server's log. */
public class ServerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // always an immutable list of the JDK
    private final List<String> log;

    public ServerException(String message) {
        this(message, List.of(), null);
    }

    public ServerException(String message, @Nullable Throwable cause) {
        this(message, List.of(), cause);
    }

    public ServerException(String message, List<String> log) {
        this(message, log, null);
    }

    private ServerException(String message, List<String> log, @Nullable Throwable cause) {
        super(
                log.isEmpty()
                        ? message
                        : message + "\nThe last lines of the server's log:\n  " + String.join("\n  ", log),
                cause);
        this.log = List.copyOf(log);
    }

    /** The last lines the server wrote before the failure, oldest first; empty if it wrote none. */
    public final List<String> log() {
        return log;
    }
}
