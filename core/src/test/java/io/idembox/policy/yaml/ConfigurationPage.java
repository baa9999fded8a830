// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import io.idembox.policy.Fingerprint;
import io.idembox.policy.Identity;
import io.idembox.policy.Secret;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Generates the tables of all keys: values, defaults and the Javadoc of their record components. */
final class ConfigurationPage {

    private static final Pattern PARAM = Pattern.compile("@param (\\w+) (.*?)(?= @param | @throws |$)");

    private final Path sources;
    private final Map<Class<?>, Map<String, String>> words = new HashMap<>();
    private final StringBuilder page = new StringBuilder();

    ConfigurationPage(Path sources) {
        this.sources = sources;
    }

    String of(Class<?> root) throws IOException {
        for (RecordComponent section : root.getRecordComponents()) {
            Class<?> named = named(section);
            Class<?> type = named == null ? section.getType() : named;
            String path = Keys.yamlKey(section) + (named == null ? "" : ".&lt;name&gt;");
            page.append("## `").append(Keys.yamlKey(section)).append("`\n\n");
            page.append(sentence(said(root, section))).append("\n\n");
            page.append("| Key | Value | Default | Description |\n|---|---|---|---|\n");
            rows(type, "", Keys.defaults(type), new Keys.Enclosing(Object.class, path));
            page.append("\n");
        }
        return page.toString().stripTrailing() + "\n";
    }

    private void rows(Class<?> type, String path, Keys.Defaults defaults, Keys.Enclosing enclosing) throws IOException {
        for (RecordComponent each : Keys.of(type, enclosing)) {
            String key = path + Keys.yamlKey(each);
            Object value = valueOf(defaults.record(), each);
            Class<?> kind = each.getType();
            Class<?> named = named(each);
            if (Record.class.isAssignableFrom(kind)) {
                Keys.Defaults below =
                        value == null ? Keys.defaults(kind) : new Keys.Defaults((Record) value, java.util.Set.of());
                row(key, "section", value == null ? "none" : "", said(type, each));
                rows(kind, key + ".", below, new Keys.Enclosing(type, each.getName()));
            } else if (named != null && Record.class.isAssignableFrom(named)) {
                row(key + ".&lt;name&gt;", "section", "", said(type, each));
                rows(named, key + ".&lt;name&gt;.", Keys.defaults(named), new Keys.Enclosing(Object.class, key));
            } else {
                boolean required = defaults.required().contains(each.getName());
                row(key, kindOf(each), required ? "required" : written(value, each), said(type, each));
            }
        }
    }

    private void row(String key, String kind, String value, String said) {
        page.append("| `")
                .append(key.replace("&lt;", "<").replace("&gt;", ">"))
                .append("` | ")
                .append(kind)
                .append(" | ")
                .append(value)
                .append(" | ")
                .append(sentence(said))
                .append(" |\n");
    }

    private String said(Class<?> type, RecordComponent component) throws IOException {
        String nothing = Objects.requireNonNullElse(RecordReader.wordForNull(component), "none");
        return Objects.requireNonNull(wordsOf(type).get(component.getName()), component::toString)
                .replaceAll("\\bnull\\b", nothing);
    }

    private static String sentence(String said) {
        return Character.toUpperCase(said.charAt(0)) + said.substring(1);
    }

    private static @Nullable Object valueOf(Record record, RecordComponent component) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static @Nullable Class<?> named(RecordComponent component) {
        return component.getGenericType() instanceof ParameterizedType type
                        && type.getActualTypeArguments()[1] instanceof Class<?> named
                ? named
                : null;
    }

    private static String kindOf(RecordComponent component) {
        Class<?> type = component.getType();
        String nothing = RecordReader.wordForNull(component);
        String or = nothing == null ? "" : ", `" + nothing + "`";
        if (type == Duration.class) {
            return "time" + or;
        }
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                            .filter(constant -> constant != SequencePolicy.OnGap.REFETCH)
                            .map(constant -> "`" + Scalars.yamlName(constant) + "`")
                            .collect(Collectors.joining(", "))
                    + or;
        }
        if (type == Identity.class) {
            return "where the id is" + or;
        }
        if (type == Secret.class) {
            return "`${env:NAME}`";
        }
        if (type == SequenceNumber.class) {
            return "where the number is";
        }
        if (type == Fingerprint.class) {
            return "`bytes`, `off`, `{ fields: [ /pointer ] }`";
        }
        if (type == Map.class) {
            return "class: `transient`, `permanent`, `unreadable`, `park`";
        }
        if (component.getName().endsWith("Bytes")) {
            return "bytes";
        }
        return (type == String.class ? "text" : "number") + or;
    }

    private static String written(@Nullable Object value, RecordComponent component) {
        if (value == null) {
            return "`" + RecordReader.wordForNull(component) + "`";
        }
        if (value instanceof Duration time) {
            return "`" + written(time) + "`";
        }
        if (value instanceof Enum<?>) {
            return "`" + Scalars.yamlName(value) + "`";
        }
        if (value instanceof Identity) {
            return "`standard`";
        }
        if (value instanceof Fingerprint) {
            return "`bytes`";
        }
        if (value instanceof Map<?, ?>) {
            return "none";
        }
        if (component.getName().endsWith("Bytes")) {
            return "`" + ((int) value >> 20) + "MiB`";
        }
        return "`" + value.toString().replaceAll("\\.0$", "") + "`";
    }

    private static String written(Duration time) {
        for (var unit : List.of(
                Map.entry("d", Duration.ofDays(1)),
                Map.entry("h", Duration.ofHours(1)),
                Map.entry("m", Duration.ofMinutes(1)),
                Map.entry("s", Duration.ofSeconds(1)))) {
            if (!time.isZero() && time.toMillis() % unit.getValue().toMillis() == 0) {
                return time.dividedBy(unit.getValue()) + unit.getKey();
            }
        }
        return time.toMillis() + "ms";
    }

    /** The {@code @param} texts of a record by component, without Javadoc tags. */
    private Map<String, String> wordsOf(Class<?> type) throws IOException {
        Map<String, String> known = words.get(type);
        if (known == null) {
            String source = Files.readString(sources.resolve(type.getSimpleName() + ".java"));
            int end = source.indexOf("public record " + type.getSimpleName());
            String comment = source.substring(source.lastIndexOf("/**", end), end)
                    .replaceAll("(?m)^ ?\\*/?|/\\*\\*", " ")
                    .replaceAll("\\{@(?:link|code) #?(?:\\w+#)?([^}]*)}", "`$1`")
                    .replaceAll("\\s+", " ")
                    .strip();
            known = new HashMap<>();
            Matcher matcher = PARAM.matcher(comment);
            while (matcher.find()) {
                known.put(matcher.group(1), matcher.group(2).strip());
            }
            words.put(type, known);
        }
        return known;
    }
}
