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
        description = "The tables: prints their SQL, compares it with the database, applies what is missing.",
        footer = {"", "Example:", "  idembox schema print --database postgresql > V1__idembox.sql"})
public final class SchemaCommand {

    private static final String ROLES_OF = "postgresql";

    private final Invocation invocation;

    SchemaCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    /** Which version is there, and which is needed; the same where nothing is known of a difference. */
    private record Versions(int found, int needed) {}

    @Command(
            name = "print",
            description = "The SQL of the tables, for a migration tool. Needs no database.",
            footer = {"", "Example:", "  idembox schema print --database postgresql --table-prefix shop_"})
    int print(
            @Option(
                            names = "--database",
                            paramLabel = "NAME",
                            defaultValue = "postgresql",
                            description = "postgresql or h2; postgresql without it.")
                    String database,
            @Option(
                            names = "--from",
                            paramLabel = "VERSION",
                            defaultValue = "0",
                            description = "The version that is there; 0 for none.")
                    int from) {
        String sql = InboxSchema.print(database, invocation.tablePrefix(), from);
        invocation
                .printer()
                .thing(
                        Fields.of("database", database).and("from", from).and("sql", sql),
                        sql.lines().toList());
        return ExitCode.DONE;
    }

    @Command(
            name = "roles",
            description = {
                "The SQL that makes roles of PostgreSQL and gives each the rights it needs. Needs no database.",
                "A superuser runs it when the tables are there, and again after each change of them."
            },
            footer = {"", "Example:", "  idembox schema roles --table-prefix shop_ > roles.sql"})
    int roles() {
        String sql = InboxSchema.roles(ROLES_OF, invocation.tablePrefix());
        invocation
                .printer()
                .thing(
                        Fields.of("database", ROLES_OF).and("sql", sql),
                        sql.lines().toList());
        return ExitCode.DONE;
    }

    @Command(
            name = "check",
            description =
                    "Whether an application could start here: the tables, and settings of database and driver. Ends with 1 if not.",
            footer = {"", "Example:", "  idembox schema check"})
    int check() {
        String problem = problem();
        invocation
                .printer()
                .thing(
                        Fields.of("ok", problem == null).and("problem", problem),
                        problem == null ? List.of("The tables are as they should be.") : List.of());
        if (problem != null) {
            invocation.say(problem);
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
        return "The tables have the version they should have, but something of it is missing: "
                + String.join(", ", missing) + ". Somebody took it away; idembox schema print shows how it is made.";
    }

    @Command(
            name = "diff",
            description = "The SQL that is missing in the database. Ends with 1 when there is some.",
            footer = {"", "Example:", "  idembox schema diff > missing.sql"})
    int diff() {
        try (DatabaseSession database = invocation.openDatabase()) {
            Versions versions = versions(database);
            if (versions.found() > versions.needed()) {
                invocation.say("The tables are newer (version " + versions.found() + ") than this Idembox (version "
                        + versions.needed() + "): update it.");
                return ExitCode.REFUSED;
            }
            boolean same = versions.found() == versions.needed();
            List<String> missing = same ? database.missing() : List.of();
            if (!missing.isEmpty()) {
                invocation.say(incomplete(missing));
                return ExitCode.REFUSED;
            }
            String sql = same ? "" : InboxSchema.print(database.kind(), database.tablePrefix(), versions.found());
            invocation
                    .printer()
                    .thing(Fields.of("same", same).and("sql", sql), sql.lines().toList());
            if (same) {
                invocation.say("Nothing is missing.");
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
            description = "Applies what is missing, in one transaction. Asks first, unless -y.",
            footer = {"", "Example:", "  idembox schema apply -y"})
    int apply() {
        try (DatabaseSession database = invocation.openDatabase()) {
            Versions versions = versions(database);
            boolean same = versions.found() == versions.needed();
            if (!same
                    && !invocation.confirm("Apply the tables of version " + versions.needed() + " (found: "
                            + (versions.found() == 0 ? "none" : versions.found()) + ")?")) {
                invocation.say("Nothing was done.");
                return ExitCode.REFUSED;
            }
            if (!same) {
                database.inbox().createSchema().allowUnsafeDurability().start().close();
            }
            invocation.printer().thing(Fields.of("applied", !same));
            invocation.say(same ? "Nothing is missing." : "The tables are there.");
        }
        return ExitCode.DONE;
    }
}
