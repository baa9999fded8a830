// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which failures are the same one. They are when the same exceptions came from the same place of the application with the same words;
 * numbers, ids and quoted values in them do not count, and neither do line numbers, which move. Pure.
 */
public final class FailureFingerprint {

    private static final int TITLE_LIMIT = 200;

    private static final Pattern CHAIN = Pattern.compile("(?m)^(?:caused by )?([\\w$.]+)$");
    private static final Pattern FRAME = Pattern.compile("(?m)^\\s*at (?:[^/()\\s]*/)*([\\w$.]+)\\.([\\w$<>]+)\\(");

    /** The address of a class that was made while running. */
    private static final Pattern HIDDEN = Pattern.compile("/0x\\p{XDigit}+");

    private static final Pattern UUIDS = Pattern.compile("\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
    private static final Pattern QUOTED = Pattern.compile("'[^']*'|\"[^\"]*\"");
    private static final Pattern HEX = Pattern.compile("\\b(?=\\p{XDigit}*\\d)\\p{XDigit}{8,}\\b");
    private static final Pattern DIGITS = Pattern.compile("\\d+");

    /** Who calls handlers, and what they call: not the application's own code. */
    private static final List<String> OTHERS = List.of(
            "java.",
            "javax.",
            "jdk.",
            "sun.",
            "com.sun.",
            "jakarta.",
            "kotlin.",
            "scala.",
            "reactor.",
            "io.idembox.internal.",
            "org.postgresql.",
            "org.h2.",
            "com.zaxxer.",
            "org.springframework.",
            "org.hibernate.",
            "org.jooq.",
            "org.jdbi.");

    private FailureFingerprint() {}

    /** The same for failures of one group, on every node and in every version of the library. */
    public static UUID of(Failure failure) {
        String stack = failure.stackTrace() == null
                ? ""
                : HIDDEN.matcher(failure.stackTrace()).replaceAll("");
        StringBuilder kin = new StringBuilder(failure.errorClass()).append('\n').append(failure.sqlState());
        Matcher chain = CHAIN.matcher(stack);
        while (chain.find()) {
            kin.append('\n').append(withoutNumbers(chain.group(1)));
        }
        kin.append('\n').append(placeIn(stack)).append('\n').append(words(failure.message()));
        ByteBuffer digest = ByteBuffer.wrap(sha256(kin.toString()));
        return new UUID(digest.getLong(), digest.getLong());
    }

    /** What all failures of the group say. */
    public static String title(String errorClass, String message) {
        String words = words(message);
        String title = errorClass + (words.isEmpty() ? "" : ": " + words);
        return title.length() > TITLE_LIMIT ? title.substring(0, TITLE_LIMIT) + "…" : title;
    }

    /** The innermost place of the application. */
    private static String placeIn(String stack) {
        Matcher frame = FRAME.matcher(stack);
        while (frame.find()) {
            String type = frame.group(1);
            if (OTHERS.stream().noneMatch(type::startsWith)) {
                return withoutNumbers(type) + "." + withoutNumbers(frame.group(2));
            }
        }
        return "";
    }

    /** Generated classes and lambdas are numbered. */
    private static String withoutNumbers(String name) {
        return name.contains("$") ? DIGITS.matcher(name).replaceAll("#") : name;
    }

    private static String words(String message) {
        String text = message.length() > 1_000 ? message.substring(0, 1_000) : message;
        text = UUIDS.matcher(text).replaceAll("#");
        text = QUOTED.matcher(text).replaceAll("'#'");
        text = HEX.matcher(text).replaceAll("#");
        return DIGITS.matcher(text).replaceAll("#").replaceAll("\\s+", " ").strip();
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
