// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Formats rows as lines with aligned columns. Not thread-safe. */
final class Table {

    private static final String GAP = "  ";

    private final List<Column> columns;
    private final List<List<String>> cells = new ArrayList<>();

    Table(List<Column> columns) {
        this.columns = List.copyOf(columns);
    }

    void add(Fields fields) {
        cells.add(columns.stream()
                .map(column -> shortened(cell(fields.at(column.path())), column.maxLength()))
                .toList());
    }

    int size() {
        return cells.size();
    }

    /** Returns the rows added so far as lines, and clears them. */
    List<String> drain(boolean titles) {
        List<List<String>> all = new ArrayList<>();
        if (titles) {
            all.add(columns.stream()
                    .map(column -> TerminalText.of(column.title()))
                    .toList());
        }
        all.addAll(cells);
        cells.clear();
        return aligned(all);
    }

    static List<String> aligned(List<List<String>> rows) {
        List<Integer> widths = new ArrayList<>();
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                int width = width(row.get(i));
                if (i == widths.size()) {
                    widths.add(width);
                } else {
                    widths.set(i, Math.max(widths.get(i), width));
                }
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            line.append(row.get(i))
                    .append(" ".repeat(widths.get(i) - width(row.get(i))))
                    .append(GAP);
        }
        return line.toString().stripTrailing();
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }

    /** The value on one line with control characters escaped; a dash when empty. */
    static String cell(@Nullable Object value) {
        String text = value == null ? "" : TerminalText.of(value.toString());
        return text.isEmpty() ? "-" : text;
    }

    private static String shortened(String text, int most) {
        return width(text) <= most ? text : text.substring(0, text.offsetByCodePoints(0, most - 1)) + "…";
    }
}
