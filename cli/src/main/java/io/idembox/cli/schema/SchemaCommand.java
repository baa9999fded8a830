// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.schema;

import io.idembox.InboxConfigurationException;
import io.idembox.InboxSchema;
import io.idembox.SchemaMismatchException;
import io.idembox.cli.call.DatabaseSession;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code idembox schema}. */
@Command(
        name = "schema",
        description = "Print, check, compare and apply the database schema.",
        footer = {"", "Example:", "  idembox schema print --database postgresql > V1__idembox.sql"})
public final class SchemaCommand {

    private static final String ROLES_OF = "postgresql";

    private final Invocation invocation;

    SchemaCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    /** The schema version found and the one needed; equal when no difference was detected. */
    private record Versions(int found, int needed) {}

    @Command(
            name = "print",
            description = "Print the SQL of the tables, for a migration tool. Needs no database.",
            footer = {"", "Example:", "  idembox schema print --database postgresql --table-prefix shop_"})
    int print(
            @Option(
                            names = "--database",
                            paramLabel = "NAME",
                            defaultValue = "postgresql",
                            description = "Database: postgresql or h2. Default: postgresql.")
                    String database,
            @Option(
                            names = "--from",
                            paramLabel = "VERSION",
                            defaultValue = "0",
                            description = "Schema version that is installed; 0 for none. Default: 0.")
                    int from) {
        String sql = InboxSchema.print(database, invocation.tablePrefix(), from);
        invocation
                .printer()
                .printOne(
                        Fields.of("database", database).and("from", from).and("sql", sql),
                        sql.lines().toList());
        return ExitCode.DONE;
    }

    @Command(
            name = "roles",
            description = {
                "Print the SQL that creates PostgreSQL roles and grants each the privileges it needs. Needs no database.",
                "Run it as a superuser after the tables are created, and again after each schema change."
            },
            footer = {"", "Example:", "  idembox schema roles --table-prefix shop_ > roles.sql"})
    int roles() {
        String sql = InboxSchema.roles(ROLES_OF, invocation.tablePrefix());
        invocation
                .printer()
                .printOne(
                        Fields.of("database", ROLES_OF).and("sql", sql),
                        sql.lines().toList());
        return ExitCode.DONE;
    }

    @Command(
            name = "check",
            description =
                    "Check whether an application could start: tables, and settings of database and driver. Exits with 1 if not.",
            footer = {"", "Example:", "  idembox schema check"})
    int check() {
        String problem = problem();
        invocation
                .printer()
                .printOne(
                        Fields.of("ok", problem == null).and("problem", problem),
                        problem == null ? List.of("The schema and the settings are valid.") : List.of());
        if (problem != null) {
            invocation.printMessage(problem);
        }
        return problem == null ? ExitCode.DONE : ExitCode.REFUSED;
    }

    private @Nullable String problem() {
        try (DatabaseSession database = invocation.openDatabase()) {
            database.inbox().start().close();
            List<String> missing = database.missing();
            return missing.isEmpty() ? null : incomplete(missing);
        } catch (SchemaMismatchException | InboxConfigurationException refused) {
            return refused.getMessage();
        }
    }

    private static String incomplete(List<String> missing) {
        return "The schema version is correct, but objects are missing: " + String.join(", ", missing)
                + ". They were dropped; idembox schema print shows the SQL that creates them.";
    }

    @Command(
            name = "diff",
            description =
                    "Print the SQL that upgrades the database to the needed schema version. Exits with 1 when there is any.",
            footer = {"", "Example:", "  idembox schema diff > missing.sql"})
    int diff() {
        try (DatabaseSession database = invocation.openDatabase()) {
            Versions versions = versions(database);
            if (versions.found() > versions.needed()) {
                invocation.printMessage("The schema (version " + versions.found()
                        + ") is newer than this Idembox (version " + versions.needed() + "). Upgrade Idembox.");
                return ExitCode.REFUSED;
            }
            boolean same = versions.found() == versions.needed();
            List<String> missing = same ? database.missing() : List.of();
            if (!missing.isEmpty()) {
                invocation.printMessage(incomplete(missing));
                return ExitCode.REFUSED;
            }
            String sql = same ? "" : InboxSchema.print(database.kind(), database.tablePrefix(), versions.found());
            invocation
                    .printer()
                    .printOne(
                            Fields.of("same", same).and("sql", sql), sql.lines().toList());
            if (same) {
                invocation.printMessage("The schema is up to date.");
            }
            return same ? ExitCode.DONE : ExitCode.REFUSED;
        }
    }

    private static Versions versions(DatabaseSession database) {
        try {
            database.inbox().allowUnsafeDurability().start().close();
            return new Versions(0, 0);
        } catch (SchemaMismatchException mismatch) {
            return new Versions(mismatch.found(), mismatch.needed());
        }
    }

    @Command(
            name = "apply",
            description = "Apply the missing SQL in one transaction. Asks for confirmation (skip with -y).",
            footer = {"", "Example:", "  idembox schema apply -y"})
    int apply() {
        try (DatabaseSession database = invocation.openDatabase()) {
            Versions versions = versions(database);
            boolean same = versions.found() == versions.needed();
            if (!same
                    && !invocation.confirm("Apply schema version " + versions.needed() + " (found: "
                            + (versions.found() == 0 ? "none" : versions.found()) + ")?")) {
                invocation.printMessage("Nothing was done.");
                return ExitCode.REFUSED;
            }
            if (!same) {
                database.inbox().createSchema().allowUnsafeDurability().start().close();
            }
            invocation.printer().printOne(Fields.of("applied", !same));
            invocation.printMessage(same ? "The schema is up to date." : "Schema applied.");
        }
        return ExitCode.DONE;
    }
}
