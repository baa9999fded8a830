// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.util.Locale;

/**
 * A column of the text format. The other formats print all fields.
 *
 * @param path the path of the field, such as {@code error.message}
 * @param maxLength the maximum number of characters; ids and other values to copy are never shortened
 */
public record Column(String title, String path, int maxLength) {

    /** A column titled with the name of its field. */
    public static Column of(String field) {
        return new Column(field.toUpperCase(Locale.ROOT), field, Integer.MAX_VALUE);
    }

    public Column titled(String newTitle) {
        return new Column(newTitle, path, maxLength);
    }

    public Column atMost(int newMost) {
        return new Column(title, path, newMost);
    }
}
