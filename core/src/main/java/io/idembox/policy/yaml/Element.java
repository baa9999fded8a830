// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import java.util.List;
import java.util.Map;

/** A part of a file, with the line it begins in. Immutable. */
sealed interface Element {

    int line();

    /** A word, a number, a text: whoever asks for it knows which. */
    record Scalar(int line, String text) implements Element {}

    /** Several, in their order. */
    record Items(int line, List<Element> all) implements Element {

        public Items {
            all = List.copyOf(all);
        }
    }

    /** Keys and what they are set to, in the order of the file. */
    record Section(int line, Map<String, Entry> entries) implements Element {}

    /** One key and what it is set to. */
    record Entry(int line, String key, Element value) {}
}
