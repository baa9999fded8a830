// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Prints aligned columns, with control characters escaped. */
final class TextPrinter implements Printer {

    /** The number of rows whose columns are aligned together. */
    private static final int ROWS_ALIGNED_TOGETHER = 1_000;

    private static final int INDENT = 2;

    private final PrintWriter out;

    TextPrinter(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void printOne(Fields fields) {
        print(fields, "");
        out.flush();
    }

    @Override
    public void printOne(Fields fields, List<String> lines) {
        lines.forEach(line -> out.print(TerminalText.of(line) + "\n"));
        out.flush();
    }

    /** Prints single values as aligned lines first, then nested fields, lists and multi-line text. */
    private void print(Fields fields, String indent) {
        List<List<String>> lines = new ArrayList<>();
        Map<String, ?> values = fields.values();
        values.forEach((name, value) -> {
            if (value != null && !isLarge(value)) {
                lines.add(List.of(TerminalText.of(name), Table.cell(value)));
            }
        });
        Table.aligned(lines).forEach(line -> out.print(indent + line + "\n"));
        values.forEach((name, value) -> {
            if (value != null && isLarge(value)) {
                printLarge(name, value, indent);
            }
        });
    }

    private static boolean isLarge(Object value) {
        return value instanceof Fields
                || value instanceof Iterable<?>
                || value.toString().indexOf('\n') >= 0;
    }

    private void printLarge(String name, Object value, String indent) {
        String below = indent + " ".repeat(INDENT);
        if (value instanceof Iterable<?> all && !all.iterator().hasNext()) {
            return;
        }
        out.print(indent + TerminalText.of(name) + ":\n");
        if (value instanceof Fields inner) {
            print(inner, below);
        } else if (value instanceof Iterable<?> all) {
            printAll(all, below);
        } else {
            value.toString()
                    .lines()
                    .forEach(line -> out.print(below + TerminalText.of(line.replace("\t", "  ")) + "\n"));
        }
    }

    private void printAll(Iterable<?> all, String indent) {
        List<Fields> rows = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        for (Object each : all) {
            if (each instanceof Fields fields) {
                rows.add(fields);
                names.addAll(fields.values().keySet());
            } else {
                out.print(indent + Table.cell(each) + "\n");
            }
        }
        if (!rows.isEmpty()) {
            Table table = new Table(names.stream().map(Column::of).toList());
            rows.forEach(table::add);
            table.drain(true).forEach(line -> out.print(indent + line + "\n"));
        }
    }

    @Override
    public Rows rows(List<Column> columns) {
        Table table = new Table(columns);
        return new Rows() {
            private boolean titled;

            @Override
            public void add(Fields fields) {
                table.add(fields);
                if (table.size() == ROWS_ALIGNED_TOGETHER) {
                    flush();
                }
            }

            @Override
            public void flush() {
                if (table.size() > 0) {
                    table.drain(!titled).forEach(line -> out.print(line + "\n"));
                    titled = true;
                }
                out.flush();
            }

            @Override
            public void end() {
                flush();
            }
        };
    }
}
