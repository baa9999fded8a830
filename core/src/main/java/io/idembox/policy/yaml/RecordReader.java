// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import io.idembox.InboxConfigurationException;
import io.idembox.internal.ClosestMatch;
import io.idembox.policy.Fingerprint;
import io.idembox.policy.Identity;
import io.idembox.policy.Policies;
import io.idembox.policy.Secret;
import io.idembox.policy.SequenceNumber;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Creates records from sections: each key is a component, and keys that are not set keep their default. Collects all
 * errors, so that a user sees them together. Not thread-safe.
 */
final class RecordReader {

    private static final String ROOT_PATH = "";

    private final Placeholders placeholders;
    private final List<Problem> problems = new ArrayList<>();

    RecordReader(Placeholders placeholders) {
        this.placeholders = placeholders;
    }

    /** The errors, in the order of the file. */
    List<Problem> problems() {
        return problems.stream().sorted(Comparator.comparingInt(Problem::line)).toList();
    }

    /** Reads all policies of a file; if there are errors, as far as they could be read. */
    Policies read(Element root) {
        return (Policies)
                record(root, ROOT_PATH, Keys.defaults(Policies.class), new Keys.Enclosing(Object.class, ROOT_PATH));
    }

    private Record record(Element element, String path, Keys.Defaults defaults, Keys.Enclosing enclosing) {
        if (!(element instanceof Element.Section section)) {
            problem(element.line(), (path.isEmpty() ? "the file" : path) + " needs keys and values below it");
            return defaults.record();
        }
        Class<?> type = defaults.record().getClass();
        List<RecordComponent> components = Keys.of(type, enclosing);
        Map<String, RecordComponent> byKey = new LinkedHashMap<>();
        components.forEach(each -> byKey.put(Keys.yamlKey(each), each));
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        Record start = Keys.start(defaults.record(), section);
        for (RecordComponent each : type.getRecordComponents()) {
            values.put(each.getName(), componentValue(start, each));
        }
        Set<String> missing = new TreeSet<>(defaults.required());
        for (Element.Entry entry : section.entries().values()) {
            RecordComponent component = byKey.get(entry.key());
            String below = path.isEmpty() ? entry.key() : path + "." + entry.key();
            if (component == null) {
                reportUnknownKey(entry, path, byKey.keySet());
                continue;
            }
            missing.remove(component.getName());
            Object before = values.get(component.getName());
            values.put(component.getName(), value(entry, below, component, before));
        }
        if (!missing.isEmpty()) {
            missing.forEach(each -> problem(section.line(), path + " needs " + Keys.yamlKey(each)));
            return defaults.record();
        }
        return createRecord(section, path, defaults.record(), values);
    }

    private void reportUnknownKey(Element.Entry entry, String path, Set<String> known) {
        String where = path.isEmpty() ? "" : " in " + path;
        String advice = ClosestMatch.to(entry.key(), known)
                .map(near -> "; did you mean " + near + "?")
                .orElse("; known keys: " + String.join(", ", known));
        problem(entry.line(), Scalars.quoted(entry.key()) + " is unknown" + where + advice);
    }

    /** An error from the record's constructor is reported with the line of the key that its message names first. */
    private Record createRecord(
            Element.Section section, String path, Record model, Map<String, @Nullable Object> values) {
        Class<?>[] types = Arrays.stream(model.getClass().getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            return model.getClass()
                    .getDeclaredConstructor(types)
                    .newInstance(values.values().toArray());
        } catch (InvocationTargetException refused) {
            if (!(refused.getCause() instanceof InboxConfigurationException said)) {
                throw new IllegalStateException(
                        "The record " + model.getClass().getName() + " refused values", refused);
            }
            String why = String.valueOf(said.getMessage());
            int line = section.entries().values().stream()
                    .filter(entry -> why.contains(entry.key()))
                    .min(Comparator.comparingInt(entry -> why.indexOf(entry.key())))
                    .map(Element.Entry::line)
                    .orElse(section.line());
            problem(line, path + ": " + why);
            return model;
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException("Records have a canonical constructor", impossible);
        }
    }

    private static @Nullable Object componentValue(Record record, RecordComponent component) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException("Records have accessors", impossible);
        }
    }

    /** Returns the value of a key; in case of an error, the default. */
    private @Nullable Object value(
            Element.Entry entry, String path, RecordComponent component, @Nullable Object before) {
        Class<?> type = component.getType();
        Element element = entry.value();
        if (Record.class.isAssignableFrom(type)) {
            Keys.Defaults defaults =
                    before == null ? Keys.defaults(type) : new Keys.Defaults((Record) before, Set.of());
            return isNone(element) && before == null
                    ? null
                    : record(
                            element,
                            path,
                            defaults,
                            new Keys.Enclosing(component.getDeclaringRecord(), component.getName()));
        }
        if (Map.class.isAssignableFrom(type) && isNamed(component)) {
            return named(element, path, component);
        }
        try {
            return leaf(element, type, component);
        } catch (IllegalArgumentException wrong) {
            problem(entry.line(), path + " " + wrong.getMessage());
        } catch (InboxConfigurationException refused) {
            problem(entry.line(), path + ": " + refused.getMessage());
        }
        return before;
    }

    private static boolean isNone(Element element) {
        return element instanceof Element.Scalar scalar && scalar.text().equals("none");
    }

    private static boolean isNamed(RecordComponent component) {
        return ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0] == String.class;
    }

    /** Reads sections with user-defined names. */
    private Map<String, Record> named(Element element, String path, RecordComponent component) {
        Map<String, Record> all = new LinkedHashMap<>();
        if (!(element instanceof Element.Section section)) {
            problem(element.line(), path + " needs names and their keys below it");
            return all;
        }
        Type type = ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[1];
        for (Element.Entry entry : section.entries().values()) {
            if (Placeholders.containsPlaceholder(entry.key())) {
                problem(entry.line(), "a name in " + path + Placeholders.NOT_A_SECRET);
                continue;
            }
            if (!isName(entry.key())) {
                problem(
                        entry.line(),
                        "a name in " + path + " must have 1 to 200 printable characters, not "
                                + Scalars.quoted(entry.key()));
                continue;
            }
            all.put(
                    entry.key(),
                    record(
                            entry.value(),
                            path + "." + entry.key(),
                            Keys.defaults((Class<?>) type),
                            new Keys.Enclosing(Object.class, ROOT_PATH)));
        }
        return all;
    }

    private static boolean isName(String text) {
        return !text.isBlank()
                && text.length() <= 200
                && text.codePoints()
                        .noneMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
    }

    private @Nullable Object leaf(Element element, Class<?> type, RecordComponent component) {
        if (type != Secret.class && Placeholders.containsPlaceholder(element)) {
            throw new IllegalArgumentException(Placeholders.NOT_A_SECRET.strip());
        }
        if (element instanceof Element.Scalar scalar && scalar.text().equals(wordForNull(component))) {
            return null;
        }
        if (type == Identity.class) {
            return Choices.identity(element);
        }
        if (type == SequenceNumber.class) {
            return Choices.sequence(element);
        }
        if (type == Fingerprint.class) {
            return Choices.fingerprint(element);
        }
        if (type == Map.class) {
            return Choices.rules(element);
        }
        if (!(element instanceof Element.Scalar scalar) || scalar.text().isEmpty()) {
            throw new IllegalArgumentException("needs a single value");
        }
        return type == Secret.class ? placeholders.secret(scalar.text()) : scalar(scalar.text(), type, component);
    }

    private static Object scalar(String text, Class<?> type, RecordComponent component) {
        if (type == Duration.class) {
            return Scalars.duration(text);
        }
        if (type.isEnum()) {
            return Scalars.enumConstant(text, type);
        }
        if (type == int.class || type == Integer.class) {
            return Scalars.number(text, component.getName());
        }
        if (type == Long.class) {
            return Scalars.wholeNumber(text);
        }
        if (type == double.class || type == Double.class) {
            return Scalars.fraction(text);
        }
        if (type == String.class) {
            return text;
        }
        throw new IllegalStateException("No reader for " + component);
    }

    /** The word for null in a file; null if the component must not be null. */
    static @Nullable String wordForNull(RecordComponent component) {
        if (!component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
            return null;
        }
        return component.getName().equals("ledger") ? "forever" : "none";
    }

    private void problem(int line, String text) {
        problems.add(new Problem(line, text));
    }
}
