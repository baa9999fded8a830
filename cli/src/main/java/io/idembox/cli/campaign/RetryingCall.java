// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.Operation;
import io.idembox.cli.call.CommandException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Makes a call again whose answer was lost. For calls with an operation, which change something once however often they are made.
 */
public final class RetryingCall {

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final String NO_RIGHT = "42501";

    private RetryingCall() {}

    /** The same, and whoever is not answered in the end is told which operation it was, and how to look. */
    public static <T> T on(int times, Operation operation, Supplier<T> call) {
        try {
            return on(times, call);
        } catch (StoreUnavailableException lost) {
            throw isForbidden(lost) ? lost : CommandException.away(words(operation, lost), lost);
        }
    }

    /** What is known of it, and how to look. */
    public static String words(Operation operation, StoreUnavailableException lost) {
        return "Operation " + operation.id() + ": " + withoutAdvice(lost)
                + " If it was done all the same, idembox audit list has it, and messages get tells how a message stands.";
    }

    public static <T> T on(int times, Supplier<T> call) {
        int left = times;
        while (true) {
            try {
                return call.get();
            } catch (StoreUnavailableException lost) {
                if (--left <= 0 || isForbidden(lost)) {
                    throw lost;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    /** The library says to call again with the same operation; here every command is a new one. */
    static String withoutAdvice(StoreUnavailableException lost) {
        Throwable plain = lost.getCause() instanceof StoreUnavailableException cause ? cause : lost;
        return String.valueOf(plain.getMessage());
    }

    /** Whether the login may not do it: who asks again is refused again. */
    public static boolean isForbidden(StoreUnavailableException lost) {
        Throwable cause = lost;
        while (cause != null && !(cause instanceof SQLException)) {
            cause = cause.getCause();
        }
        return cause instanceof SQLException refused && NO_RIGHT.equals(refused.getSQLState());
    }
}
