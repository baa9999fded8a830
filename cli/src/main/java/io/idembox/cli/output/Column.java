// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.util.Locale;

/**
 * A column of a table for people. Other forms show everything.
 *
 * @param path of the field, such as {@code error.message}
 * @param most how many characters are shown; what people copy is shown whole
 */
public record Column(String title, String path, int most) {

    /** A field under its own name. */
    public static Column of(String field) {
        return new Column(field.toUpperCase(Locale.ROOT), field, Integer.MAX_VALUE);
    }

    public Column titled(String newTitle) {
        return new Column(newTitle, path, most);
    }

    public Column atMost(int newMost) {
        return new Column(title, path, newMost);
    }
}
