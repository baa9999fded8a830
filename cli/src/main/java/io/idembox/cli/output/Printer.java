// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.util.List;

/** Writes data in one form. What is said to people besides goes elsewhere. Not thread-safe. */
public interface Printer {

    /** One thing. */
    void thing(Fields fields);

    /** One thing that is best told to people in lines of its own. */
    void thing(Fields fields, List<String> lines);

    /** Many things of a kind, while they are being found. */
    Rows rows(List<Column> columns);

    /** A list that is being written. */
    interface Rows {

        void add(Fields fields);

        /** Nothing more comes for a moment: what was added is to be seen. */
        void flush();

        /** That was all. Not said when something went wrong: half a list must not look like a whole one. */
        void end();
    }
}
