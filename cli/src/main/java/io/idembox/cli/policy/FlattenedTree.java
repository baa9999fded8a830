// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.policy;

import io.idembox.cli.output.Fields;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Flattens a tree to values by path, for comparison. Pure. */
final class FlattenedTree {

    private FlattenedTree() {}

    static Map<String, String> of(Fields tree) {
        Map<String, String> flat = new TreeMap<>();
        add(flat, "", tree);
        return flat;
    }

    private static void add(Map<String, String> flat, String path, @Nullable Object value) {
        if (value instanceof Fields fields) {
            fields.values().forEach((name, each) -> add(flat, path.isEmpty() ? name : path + "." + name, each));
        } else {
            flat.put(path, String.valueOf(value));
        }
    }
}
