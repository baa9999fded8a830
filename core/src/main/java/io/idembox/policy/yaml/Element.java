// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import java.util.List;
import java.util.Map;

/** A part of a file, with the line where it starts. Immutable. */
sealed interface Element {

    int line();

    /** A single value, as text; its reader converts it. */
    record Scalar(int line, String text) implements Element {}

    /** A list, in the order of the file. */
    record Items(int line, List<Element> all) implements Element {

        public Items {
            all = List.copyOf(all);
        }
    }

    /** Keys and their values, in the order of the file. */
    record Section(int line, Map<String, Entry> entries) implements Element {}

    /** A key and its value. */
    record Entry(int line, String key, Element value) {}
}
