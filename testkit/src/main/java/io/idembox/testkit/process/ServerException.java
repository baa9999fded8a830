// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.process;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says that a server could not do what was asked, and shows what the server itself said last. */
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
        super(log.isEmpty() ? message : message + "\nThe server's last words:\n  " + String.join("\n  ", log), cause);
        this.log = List.copyOf(log);
    }

    /** The last lines the server wrote before the failure, oldest first; empty if it did not get that far. */
    public final List<String> log() {
        return log;
    }
}
