// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.io.PrintWriter;
import java.util.List;

/** Prints one JSON object per line. */
final class NdjsonPrinter implements Printer {

    private final PrintWriter out;

    NdjsonPrinter(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void printOne(Fields fields) {
        out.print(JsonText.line(PlainValues.of(fields)) + "\n");
        out.flush();
    }

    @Override
    public void printOne(Fields fields, List<String> lines) {
        printOne(fields);
    }

    @Override
    public Rows rows(List<Column> columns) {
        return new Rows() {
            @Override
            public void add(Fields fields) {
                out.print(JsonText.line(PlainValues.of(fields)) + "\n");
            }

            @Override
            public void flush() {
                out.flush();
            }

            @Override
            public void end() {
                out.flush();
            }
        };
    }
}
