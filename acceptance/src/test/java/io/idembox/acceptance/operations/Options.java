// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.operations;

import io.idembox.acceptance.programme.Given;
import java.util.List;
import java.util.Map;

/**
 * How much is done.
 *
 * @param redriven messages that fail and are redriven
 * @param replayed messages that are handled, and handled again
 * @param live messages that come while they are
 * @param kills how often a process is killed in the middle of each of both
 */
record Options(int redriven, int replayed, int live, int kills) {

    static final String USAGE = "usage: operations [--redriven 10000] [--replayed 100000] [--live 5000] [--kills 3]";

    static Options parse(List<String> args) {
        Given given =
                Given.of(args, Map.of("--redriven", "10000", "--replayed", "100000", "--live", "5000", "--kills", "3"));
        return new Options(
                (int) given.number("--redriven"), (int) given.number("--replayed"), (int) given.number("--live"), (int)
                        given.number("--kills"));
    }
}
