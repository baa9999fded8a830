// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

/** A question that a benchmark answers. */
public interface Suite {

    /** The word on the command line, and the name of the result file. */
    String name();

    /** One line for the usage text. */
    String purpose();

    /** Runs all of it; says on standard output how far it is. */
    Outcome run(Options options) throws Exception;
}
