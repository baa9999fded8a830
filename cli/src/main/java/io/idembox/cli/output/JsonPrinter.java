// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.io.PrintWriter;
import java.util.List;

/** Prints one JSON document: an object or an array. */
final class JsonPrinter implements Printer {

    private final PrintWriter out;

    JsonPrinter(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void printOne(Fields fields) {
        out.print(JsonText.pretty(PlainValues.of(fields)) + "\n");
        out.flush();
    }

    @Override
    public void printOne(Fields fields, List<String> lines) {
        printOne(fields);
    }

    @Override
    public Rows rows(List<Column> columns) {
        return new Rows() {
            private boolean begun;

            @Override
            public void add(Fields fields) {
                out.print((begun ? ",\n" : "[\n") + JsonText.line(PlainValues.of(fields)));
                begun = true;
            }

            @Override
            public void flush() {
                out.flush();
            }

            @Override
            public void end() {
                out.print(begun ? "\n]\n" : "[]\n");
                out.flush();
            }
        };
    }
}
