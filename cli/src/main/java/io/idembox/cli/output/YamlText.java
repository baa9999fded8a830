// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes plain values as YAML. Text that a YAML reader might take for another type is quoted as in JSON. Pure.
 */
final class YamlText {

    /** Text that needs no quotes: no reader takes it for a number, a time or another type. */
    private static final Pattern BARE = Pattern.compile("[A-Za-z_/][A-Za-z0-9_./-]*");

    private static final Set<String> WORDS = Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

    private YamlText() {}

    /** A document; every line ends with a line break. */
    static String of(Map<String, ?> plain) {
        StringBuilder text = new StringBuilder();
        if (plain.isEmpty()) {
            return "{}\n";
        }
        map(text, plain, "");
        return text.toString();
    }

    /** A mapping as an item of a list. */
    static String item(Map<String, ?> plain) {
        StringBuilder text = new StringBuilder();
        item(text, plain, "");
        return text.toString();
    }

    private static void map(StringBuilder text, Map<?, ?> map, String indent) {
        map.forEach((name, value) -> {
            text.append(indent).append(scalar(String.valueOf(name))).append(':');
            value(text, value, indent + "  ");
        });
    }

    /** Appends the value after a name. */
    private static void value(StringBuilder text, @Nullable Object value, String indent) {
        if (value instanceof Map<?, ?> map && !map.isEmpty()) {
            text.append('\n');
            map(text, map, indent);
        } else if (value instanceof Iterable<?> all && all.iterator().hasNext()) {
            text.append('\n');
            all.forEach(each -> item(text, each, indent));
        } else {
            text.append(' ').append(leaf(value)).append('\n');
        }
    }

    private static void item(StringBuilder text, @Nullable Object value, String indent) {
        if (value instanceof Map<?, ?> map && !map.isEmpty()) {
            StringBuilder below = new StringBuilder();
            map(below, map, indent + "  ");
            text.append(indent).append("- ").append(below, indent.length() + 2, below.length());
        } else {
            text.append(indent).append("- ").append(leaf(value)).append('\n');
        }
    }

    private static String leaf(@Nullable Object value) {
        if (value instanceof Map<?, ?>) {
            return "{}";
        }
        if (value instanceof Iterable<?> all) {
            return flow(all.iterator());
        }
        return value instanceof String text ? scalar(text) : JsonText.line(value);
    }

    private static String flow(Iterator<?> all) {
        StringBuilder text = new StringBuilder("[");
        while (all.hasNext()) {
            text.append(text.length() == 1 ? "" : ", ").append(leaf(all.next()));
        }
        return text.append(']').toString();
    }

    private static String scalar(String text) {
        boolean bare = BARE.matcher(text).matches() && !WORDS.contains(text.toLowerCase(java.util.Locale.ROOT));
        return bare ? text : JsonText.line(text);
    }
}
