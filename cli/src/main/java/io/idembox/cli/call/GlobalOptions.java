// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import io.idembox.InboxSchema;
import io.idembox.cli.output.OutputFormat;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options of all commands. They may stand before or behind the command's name. */
public final class GlobalOptions {

    @Option(
            names = "--jdbc",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "Where the database is, without user and password; or IDEMBOX_JDBC_URL, or PGHOST, PGPORT and"
                    + " PGDATABASE.")
    @Nullable
    String jdbc;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "The user of the database; or IDEMBOX_USER, or PGUSER.")
    @Nullable
    String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "Its first line is the password; or IDEMBOX_PASSWORD, or PGPASSWORD.")
    @Nullable
    Path passwordFile;

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "The schema of the tables; without it the one new connections are in.")
    @Nullable
    String schema;

    @Option(
            names = "--table-prefix",
            paramLabel = "TEXT",
            scope = ScopeType.INHERIT,
            description = "What table names begin with; idembox_ without it.")
    String tablePrefix = InboxSchema.DEFAULT_PREFIX;

    @Option(
            names = "--policies",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "How consumers and destinations behave: ordered ones take commands only from who knows.")
    @Nullable
    Path policies;

    @Option(
            names = "--audit-key-file",
            paramLabel = "NAME=FILE",
            scope = ScopeType.INHERIT,
            description = "The key that operations are sealed with, and its name; or IDEMBOX_AUDIT_KEY and"
                    + " IDEMBOX_AUDIT_KEY_NAME. Give the one that the applications have.")
    @Nullable
    String auditKeyFile;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORM",
            scope = ScopeType.INHERIT,
            description = "How data is written: text, json, ndjson or yaml.")
    @Nullable
    OutputFormat format;

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            scope = ScopeType.INHERIT,
            description = "Why; needed by everything that changes messages or consumers, and kept.")
    @Nullable
    String reason;

    @Option(
            names = "--by",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "Who; the user of this machine without it.")
    @Nullable
    String by;

    @Option(
            names = {"-y", "--yes"},
            scope = ScopeType.INHERIT,
            description = "Do not ask.")
    boolean yes;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Where an error comes from: its stack trace.")
    boolean debug;

    /** Whether an error is told with its stack trace. */
    public boolean debug() {
        return debug;
    }
}
