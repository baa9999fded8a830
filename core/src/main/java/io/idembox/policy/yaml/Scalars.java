// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import io.idembox.internal.ClosestMatch;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Converts the text of single values. Stateless; a wrong value is an {@link IllegalArgumentException} whose message
 * continues the path of the key.
 */
final class Scalars {

    private static final Pattern TIME = Pattern.compile("(\\d{1,18})(ms|s|m|h|d)");
    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})(KiB|MiB|GiB)?");
    private static final Pattern NUMBER = Pattern.compile("[+-]?\\d{1,40}");
    private static final Pattern FRACTION = Pattern.compile("[+-]?\\d{1,18}(\\.\\d{1,18})?");

    private static final Map<String, Long> MILLIS =
            Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

    private static final Map<String, Long> BYTES = Map.of("KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);

    private Scalars() {}

    static Duration duration(String text) {
        Matcher matcher = TIME.matcher(text);
        if (matcher.matches()) {
            BigInteger millis = new BigInteger(matcher.group(1))
                    .multiply(BigInteger.valueOf(MILLIS.getOrDefault(matcher.group(2), 1L)));
            if (millis.bitLength() < Long.SIZE) {
                return Duration.ofMillis(millis.longValue());
            }
            throw new IllegalArgumentException("is too long a time: " + text);
        }
        try {
            if (text.startsWith("P") || text.startsWith("-P")) {
                return Duration.parse(text);
            }
        } catch (DateTimeParseException | ArithmeticException neither) {
            // reported below
        }
        throw new IllegalArgumentException("must be a time such as 500ms, 30s, 10m, 12h or 14d, not " + quoted(text));
    }

    static int number(String text, String component) {
        long value = component.endsWith("Bytes") ? size(text) : wholeNumber(text);
        if (value != (int) value) {
            throw new IllegalArgumentException("must be at most " + Integer.MAX_VALUE + ", not " + quoted(text));
        }
        return (int) value;
    }

    static long wholeNumber(String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException("must be a whole number, not " + quoted(text));
        }
        BigInteger value = new BigInteger(text);
        if (value.bitLength() >= Long.SIZE) {
            throw new IllegalArgumentException("is too large a number: " + quoted(text));
        }
        return value.longValue();
    }

    private static long size(String text) {
        Matcher matcher = SIZE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "must be a number of bytes such as 500000, 64KiB or 16MiB, not " + quoted(text));
        }
        long unit = matcher.group(2) == null ? 1 : BYTES.getOrDefault(matcher.group(2), 1L);
        BigInteger value = new BigInteger(matcher.group(1)).multiply(BigInteger.valueOf(unit));
        return value.bitLength() < Long.SIZE ? value.longValue() : Long.MAX_VALUE;
    }

    static double fraction(String text) {
        if (!FRACTION.matcher(text).matches()) {
            throw new IllegalArgumentException("must be a number such as 0.5, not " + quoted(text));
        }
        return new BigDecimal(text).doubleValue();
    }

    static boolean bool(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("must be true or false, not " + quoted(text));
        };
    }

    static Object enumConstant(String text, Class<?> type) {
        List<Object> constants = Arrays.asList(type.getEnumConstants());
        for (Object constant : constants) {
            if (yamlName(constant).equals(text)) {
                return constant;
            }
        }
        List<String> words = constants.stream().map(Scalars::yamlName).toList();
        throw new IllegalArgumentException("must be one of " + String.join(", ", words) + ", not " + quoted(text)
                + ClosestMatch.to(text.toLowerCase(Locale.ROOT), words)
                        .map(near -> "; did you mean " + near + "?")
                        .orElse(""));
    }

    /** {@code SKIP_PARKED} is {@code skip-parked}. */
    static String yamlName(Object constant) {
        return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Quotes a value, shortened to one line. */
    static String quoted(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ");
        return "'" + (line.length() > 60 ? line.substring(0, 60) + "…" : line) + "'";
    }
}
