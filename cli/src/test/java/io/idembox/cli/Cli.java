// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idembox.cli.call.CommandEnvironment;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Calls the command line as a shell would, and captures its output. */
final class Cli {

    private final Map<String, String> environment = new HashMap<>();
    private String typed = "";
    private CommandEnvironment.Terminals terminals = CommandEnvironment.Terminals.NONE;

    /** The result of a call. */
    record Result(int exitCode, String out, String err) {

        JsonNode json() {
            try {
                return new ObjectMapper().readTree(out);
            } catch (JsonProcessingException notJson) {
                throw new AssertionError("Not JSON: " + out + err, notJson);
            }
        }
    }

    static Cli on(String jdbcUrl) {
        return new Cli().variable("IDEMBOX_JDBC_URL", jdbcUrl);
    }

    static Cli on(PostgresDatabase database) {
        return new Cli()
                .variable("PGHOST", "127.0.0.1")
                .variable("PGPORT", Integer.toString(PostgresServer.shared().port()))
                .variable("PGDATABASE", database.name())
                .variable("PGUSER", "postgres");
    }

    static Cli withoutDatabase() {
        return new Cli();
    }

    Cli variable(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Answers confirmation questions with this input. */
    Cli typing(String line) {
        typed = line + "\n";
        return this;
    }

    /** Both streams are terminals. */
    Cli onATerminal() {
        terminals = new CommandEnvironment.Terminals(true, true);
        return this;
    }

    Result run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Main.run(
                new CommandEnvironment(
                        environment,
                        new BufferedReader(new StringReader(typed)),
                        new PrintWriter(out),
                        new PrintWriter(err),
                        terminals,
                        InstantSource.system()),
                args);
        return new Result(exitCode, out.toString(), err.toString());
    }

    /** Runs with JSON output. */
    JsonNode json(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("-o");
        all.add("json");
        return run(all.toArray(new String[0])).json();
    }
}
