// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns an exception into something that may be stored and logged: bounded, printable, and without the column values
 * that drivers and servers quote. Where a database error is behind an exception, only the database's own primary
 * message is kept: wrappers repeat the rest. Thread-safe.
 */
public final class ErrorText {

    private static final int MESSAGE_LIMIT = 2_000;
    private static final int STACK_LIMIT = 8_000;
    private static final int CLASS_LIMIT = 500;
    private static final int FRAMES = 15;

    /** The line of a printed stack trace that names an exception. */
    private static final Pattern THROWN = Pattern.compile("(Caused by: )?((?:[\\w$]+\\.)+[\\w$]+)(?=:|$)");

    private final Function<SQLException, String> primaryMessage;

    /** Takes the function that finds the part of a database error that quotes no values. */
    public ErrorText(Function<SQLException, String> primaryMessage) {
        this.primaryMessage = primaryMessage;
    }

    public Failure describe(Failure.Kind kind, Throwable thrown) {
        SQLException error = SqlStates.sqlCause(thrown);
        String message = error == null ? messageOf(thrown) : primaryMessage.apply(error);
        return new Failure(
                kind,
                thrown.getClass().getName(),
                error == null ? null : error.getSQLState(),
                printable(message, MESSAGE_LIMIT),
                printable(stackOf(thrown), STACK_LIMIT));
    }

    /** What the exception says; exceptions may be broken as well. */
    private static String messageOf(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            return message == null ? "(no message)" : message;
        } catch (RuntimeException broken) {
            return "(its message cannot be read: " + broken.getClass().getName() + ")";
        }
    }

    /** What somebody said, so that more can be said behind it. */
    public static String sentence(String said) {
        return said.endsWith(".") ? said : said + ".";
    }

    /** A failure that no exception is behind, such as a limit. */
    public static Failure refusal(Failure.Kind kind, String rule, String message) {
        return new Failure(kind, rule, null, printable(message, MESSAGE_LIMIT), null);
    }

    /** What another system says about a failure: its message, and of its stack trace classes and places only. */
    public static Failure reported(String errorClass, String message, @Nullable String stackTrace) {
        return new Failure(
                Failure.Kind.PARK,
                printable(errorClass, CLASS_LIMIT),
                null,
                printable(message, MESSAGE_LIMIT),
                stackTrace == null ? null : printable(placesOf(stackTrace), STACK_LIMIT));
    }

    private static String placesOf(String stackTrace) {
        StringBuilder text = new StringBuilder();
        int frames = 0;
        for (String line : stackTrace.lines().map(String::strip).toList()) {
            Matcher thrown = THROWN.matcher(line);
            if (line.startsWith("at ")) {
                if (frames++ < FRAMES) {
                    text.append("  ").append(line).append('\n');
                }
            } else if (thrown.lookingAt()) {
                text.append(thrown.group(1) == null ? "" : "caused by ")
                        .append(thrown.group(2))
                        .append('\n');
                frames = 0;
            }
        }
        return text.toString();
    }

    /** Classes and places only; the messages of the causes may quote values. */
    private static String stackOf(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        Set<Throwable> seen = new HashSet<>();
        for (Throwable cause = thrown; cause != null && seen.add(cause); cause = cause.getCause()) {
            text.append(cause == thrown ? "" : "caused by ")
                    .append(cause.getClass().getName())
                    .append('\n');
            StackTraceElement[] frames = cause.getStackTrace();
            for (int i = 0; i < Math.min(frames.length, FRAMES); i++) {
                text.append("  at ").append(frames[i]).append('\n');
            }
        }
        return text.toString();
    }

    /** No NUL, no control characters but line breaks, no lone surrogates, not too long. */
    static String printable(@Nullable String text, int limit) {
        if (text == null) {
            return "";
        }
        StringBuilder clean = new StringBuilder(Math.min(text.length(), limit));
        text.codePoints().limit(limit).forEach(c -> {
            boolean control = c != '\n' && Character.isISOControl(c);
            boolean hostile = control || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
            clean.appendCodePoint(hostile ? '\uFFFD' : c);
        });
        return clean.toString();
    }
}
