// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.io.PrintWriter;
import java.util.List;

/** Prints one YAML document: a mapping or a sequence. */
final class YamlPrinter implements Printer {

    private final PrintWriter out;

    YamlPrinter(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void printOne(Fields fields) {
        out.print(YamlText.of(PlainValues.of(fields)));
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
                out.print(YamlText.item(PlainValues.of(fields)));
                begun = true;
            }

            @Override
            public void flush() {
                out.flush();
            }

            @Override
            public void end() {
                if (!begun) {
                    out.print("[]\n");
                }
                out.flush();
            }
        };
    }
}
