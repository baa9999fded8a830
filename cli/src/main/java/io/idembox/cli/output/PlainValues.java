// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import io.idembox.admin.Count;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts values to the types of JSON and YAML: maps, lists, strings, numbers, booleans and null. Pure. */
final class PlainValues {

    private PlainValues() {}

    static Map<String, @Nullable Object> of(Fields fields) {
        Map<String, @Nullable Object> plain = new LinkedHashMap<>();
        fields.values().forEach((name, value) -> plain.put(name, value(value)));
        return plain;
    }

    private static @Nullable Object value(@Nullable Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            return value;
        }
        if (value instanceof Fields fields) {
            return of(fields);
        }
        if (value instanceof Count count) {
            return of(Fields.of("number", count.number()).and("exact", count.exact()));
        }
        if (value instanceof Iterable<?> all) {
            List<@Nullable Object> plain = new ArrayList<>();
            all.forEach(each -> plain.add(value(each)));
            return plain;
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        return value.toString();
    }
}
