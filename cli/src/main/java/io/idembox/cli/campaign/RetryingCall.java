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
 * Repeats a call whose answer was lost. Only for calls with an operation id, which take effect once.
 */
public final class RetryingCall {

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private RetryingCall() {}

    /** Repeats the call; after the last try, the exception names the operation and how to check its result. */
    public static <T> T on(int times, Operation operation, Supplier<T> call) {
        try {
            return on(times, call);
        } catch (StoreUnavailableException lost) {
            throw isForbidden(lost) ? lost : CommandException.unavailable(lostAnswerText(operation, lost), lost);
        }
    }

    /** Error text that names the operation and how to check its result. */
    public static String lostAnswerText(Operation operation, StoreUnavailableException lost) {
        return "Operation " + operation.id() + ": " + withoutAdvice(lost)
                + " If it took effect, idembox audit list shows it; idembox messages get shows the state of a message.";
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

    /** Drops the library's advice to repeat the call with the same operation id: each CLI command has a new one. */
    static String withoutAdvice(StoreUnavailableException lost) {
        Throwable plain = lost.getCause() instanceof StoreUnavailableException cause ? cause : lost;
        return String.valueOf(plain.getMessage());
    }

    /** Whether the database user lacks the privilege. Such a call is not repeated. */
    public static boolean isForbidden(StoreUnavailableException lost) {
        Throwable cause = lost;
        while (cause != null && !(cause instanceof SQLException)) {
            cause = cause.getCause();
        }
        return cause instanceof SQLException refused && INSUFFICIENT_PRIVILEGE.equals(refused.getSQLState());
    }
}
