// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import io.idembox.InboxSchema;
import io.idembox.cli.output.OutputFormat;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options of all commands. They are accepted before or after the command name. */
public final class GlobalOptions {

    @Option(
            names = "--jdbc",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description =
                    "JDBC URL of the database, without user and password. Environment: IDEMBOX_JDBC_URL, or PGHOST, PGPORT"
                            + " and PGDATABASE.")
    @Nullable
    String jdbc;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "Database user. Environment: IDEMBOX_USER or PGUSER.")
    @Nullable
    String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description =
                    "Read the password from the first line of a file. Environment: IDEMBOX_PASSWORD or PGPASSWORD.")
    @Nullable
    Path passwordFile;

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "Database schema of the tables. Default: the connection's current schema.")
    @Nullable
    String schema;

    @Option(
            names = "--table-prefix",
            paramLabel = "TEXT",
            scope = ScopeType.INHERIT,
            description = "Prefix of the table names. Default: idembox_.")
    String tablePrefix = InboxSchema.DEFAULT_PREFIX;

    @Option(
            names = "--policies",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "Policy file of the applications. Required for commands on ordered consumers and the outbox.")
    @Nullable
    Path policies;

    @Option(
            names = "--audit-key-file",
            paramLabel = "NAME=FILE",
            scope = ScopeType.INHERIT,
            description = "Name and file of the key that seals operations; use the applications' key. Environment:"
                    + " IDEMBOX_AUDIT_KEY and IDEMBOX_AUDIT_KEY_NAME.")
    @Nullable
    String auditKeyFile;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            scope = ScopeType.INHERIT,
            description = "Output format: text, json, ndjson or yaml. Default: text.")
    @Nullable
    OutputFormat format;

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            scope = ScopeType.INHERIT,
            description =
                    "Reason, recorded in the audit trail. Required to change messages or consumers, and to read a payload.")
    @Nullable
    String reason;

    @Option(
            names = "--by",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "Name of the operator, recorded in the audit trail. Default: the operating system user.")
    @Nullable
    String by;

    @Option(
            names = {"-y", "--yes"},
            scope = ScopeType.INHERIT,
            description = "Skip the confirmation.")
    boolean yes;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Print the stack trace of an error.")
    boolean debug;

    /** Whether errors are printed with their stack trace. */
    public boolean debug() {
        return debug;
    }
}
