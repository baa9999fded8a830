// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.policy;

import io.idembox.cli.output.Fields;
import io.idembox.policy.Identity;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.Policies;
import io.idembox.policy.SequencePolicy;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts policies to output fields with all effective settings, including defaults, under the names of the policy
 * file, so that the output can be read again. Not thread-safe.
 */
final class PolicyTree {

    /** Settings that a file cannot contain, because code or the enclosing record decides them. */
    private static final Map<Class<?>, Set<String>> OMITTED = Map.of(
            SequencePolicy.class, Set.of("refetch"),
            OutboxPolicy.class, Set.of("retry.by"),
            IntentPolicy.class, Set.of("retry.by", "retry.rules", "work.batch"));

    private final RawPolicyFile file;

    /** @param file the source file; settings that are code in Java are printed as written there */
    PolicyTree(RawPolicyFile file) {
        this.file = file;
    }

    Fields of(Policies policies) {
        return record(policies, List.of(), Set.of());
    }

    private Fields record(Record record, List<String> path, Set<String> without) {
        Fields fields = Fields.none();
        Set<String> notSaid = OMITTED.getOrDefault(record.getClass(), Set.of());
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            String name = component.getName();
            String key = name.replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
            Object value = read(record, component);
            boolean unsaid = value == null && component.getType() == Identity.class;
            if (!unsaid && !without.contains(name) && !notSaid.contains(name)) {
                fields.and(key, value(component, value, plus(path, key), below(notSaid, name)));
            }
        }
        return fields;
    }

    private @Nullable Object value(
            RecordComponent component, @Nullable Object value, List<String> path, Set<String> without) {
        if (value == null) {
            return component.getName().equals("ledger") ? "forever" : "none";
        }
        if (value instanceof Record record) {
            return record(record, path, without);
        }
        if (value instanceof Map<?, ?> map) {
            return map(component, map, path);
        }
        if (value instanceof Duration time) {
            return durationText(time);
        }
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
        boolean plain = value instanceof Number || value instanceof String || value instanceof Boolean;
        return plain ? value : file.at(path).orElseGet(() -> defaultChoice(component));
    }

    /** A map of sections by name, or of exception rules by class. */
    private Fields map(RecordComponent component, Map<?, ?> map, List<String> path) {
        boolean byName = ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0] == String.class;
        List<Map.Entry<?, ?>> entries = new ArrayList<>(map.entrySet());
        entries.sort(Comparator.comparing(entry -> name(entry.getKey())));
        Fields fields = Fields.none();
        for (Map.Entry<?, ?> entry : entries) {
            String name = name(entry.getKey());
            fields.and(
                    name,
                    byName
                            ? record((Record) entry.getValue(), plus(path, name), Set.of())
                            : value(component, entry.getValue(), plus(path, name), Set.of()));
        }
        return fields;
    }

    private static String name(Object key) {
        return key instanceof Class<?> type ? type.getName() : key.toString();
    }

    /** The default of a setting that is code in Java. */
    private static String defaultChoice(RecordComponent component) {
        return component.getName().equals("fingerprint") ? "bytes" : "standard";
    }

    private static Set<String> below(Set<String> notSaid, String name) {
        return notSaid.stream()
                .filter(each -> each.startsWith(name + "."))
                .map(each -> each.substring(name.length() + 1))
                .collect(java.util.stream.Collectors.toSet());
    }

    private static List<String> plus(List<String> path, String key) {
        List<String> longer = new ArrayList<>(path);
        longer.add(key);
        return longer;
    }

    private static @Nullable Object read(Record record, RecordComponent component) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException("Records have accessors", impossible);
        }
    }

    /** Formats a duration in the largest unit that represents it exactly. */
    private static String durationText(Duration time) {
        if (time.toNanosPart() % 1_000_000 != 0) {
            return time.toString();
        }
        long millis = time.toMillis();
        record Unit(String name, long millis) {}
        for (Unit unit : List.of(
                new Unit("d", 86_400_000), new Unit("h", 3_600_000), new Unit("m", 60_000), new Unit("s", 1_000))) {
            if (millis != 0 && millis % unit.millis() == 0) {
                return millis / unit.millis() + unit.name();
            }
        }
        return millis + "ms";
    }
}
