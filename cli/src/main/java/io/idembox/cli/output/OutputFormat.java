// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.io.PrintWriter;
import java.util.Locale;

/** The output formats. */
public enum OutputFormat {
    /** Aligned columns for reading; may change between versions. */
    TEXT,
    /** One JSON document. */
    JSON,
    /** One JSON object per line. */
    NDJSON,
    YAML;

    public Printer on(PrintWriter out) {
        return switch (this) {
            case TEXT -> new TextPrinter(out);
            case JSON -> new JsonPrinter(out);
            case NDJSON -> new NdjsonPrinter(out);
            case YAML -> new YamlPrinter(out);
        };
    }

    /** The name as used with {@code -o}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
