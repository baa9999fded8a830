// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** A Markdown table. Not thread-safe. */
public final class Table {

    private final StringBuilder text = new StringBuilder();

    /** Titles divided by {@code |}; a colon behind a title sets its column to the right. */
    public Table(String titles) {
        String[] columns = titles.split("\\|", -1);
        text.append(line(Arrays.stream(columns).map(each -> each.replace(":", ""))));
        text.append(line(Arrays.stream(columns).map(each -> each.endsWith(":") ? "--:" : "---")));
    }

    public Table row(String... cells) {
        text.append(line(Arrays.stream(cells)));
        return this;
    }

    private static String line(java.util.stream.Stream<String> cells) {
        return cells.collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    /** With the given digits behind the point; a dash for what is not a number. */
    public static String figure(double value, int digits) {
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%,." + digits + "f", value);
    }

    public static String range(Spread spread, int digits) {
        return figure(spread.min(), digits) + "–" + figure(spread.max(), digits);
    }

    public String markdown() {
        return text.toString();
    }
}
