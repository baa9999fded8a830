// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;

/**
 * Environment variables, streams and clock of one call. Tests pass their own.
 *
 * @param environment the environment variables
 * @param out for data
 * @param err for messages to the user
 * @param terminals which of the two streams are terminals
 */
public record CommandEnvironment(
        Map<String, String> environment,
        BufferedReader in,
        PrintWriter out,
        PrintWriter err,
        Terminals terminals,
        InstantSource clock) {

    /** Which streams are terminals; the others are files or pipes. */
    public record Terminals(boolean out, boolean err) {

        public static final Terminals NONE = new Terminals(false, false);
    }

    /** The environment of this process. The launcher detects terminals, because Java cannot per stream. */
    public static CommandEnvironment real() {
        return new CommandEnvironment(
                System.getenv(),
                new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())),
                writer(System.out),
                writer(System.err),
                new Terminals(Boolean.getBoolean("idembox.terminal.out"), Boolean.getBoolean("idembox.terminal.err")),
                InstantSource.system());
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), false);
    }
}
