// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.util.List;

/** Prints data in one output format. Messages to the user go to standard error instead. Not thread-safe. */
public interface Printer {

    /** Prints one object. */
    void printOne(Fields fields);

    /** Prints one object; the text format prints the given lines instead. */
    void printOne(Fields fields, List<String> lines);

    /** Starts a list whose rows are printed as they are read. */
    Rows rows(List<Column> columns);

    /** A list that is being printed. */
    interface Rows {

        void add(Fields fields);

        /** Prints the rows added so far. */
        void flush();

        /** Ends the list. Not called after an error: a partial list must not look complete. */
        void end();
    }
}
