// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.util.Locale;

/** The last line of a run: the suite and {@code name=value} pairs. Not thread-safe. */
public final class Summary {

    private final StringBuilder line;

    public Summary(String suite) {
        this.line = new StringBuilder(suite);
    }

    public Summary add(String name, double value, int digits) {
        return add(name, String.format(Locale.ROOT, "%." + digits + "f", value));
    }

    public Summary add(String name, String value) {
        line.append(' ').append(name).append('=').append(value);
        return this;
    }

    @Override
    public String toString() {
        return line.toString();
    }
}
