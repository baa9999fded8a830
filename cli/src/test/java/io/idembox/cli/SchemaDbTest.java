// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.InboxSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The schema commands, from an empty database to the needed version. */
class SchemaDbTest {

    private final TestInbox inbox = new TestInbox();

    @AfterEach
    void close() {
        inbox.close();
    }

    @Test
    void missingSchemaIsFoundPrintedAndApplied() {
        Cli.Result check = inbox.cli().run("schema", "check", "-o", "json");
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(check.json().get("ok").asBoolean()).isFalse();
        assertThat(check.json().get("problem").asText()).contains("not found");
        Cli.Result diff = inbox.cli().run("schema", "diff", "-o", "json");
        assertThat(diff.exitCode()).isEqualTo(1);
        assertThat(diff.json().get("sql").asText()).isEqualTo(InboxSchema.print("h2"));

        Cli.Result no = inbox.cli().typing("n").run("schema", "apply");
        assertThat(no.exitCode()).isEqualTo(1);
        assertThat(no.err()).contains("found: none");
        assertThat(inbox.cli()
                        .typing("yes")
                        .json("schema", "apply")
                        .get("applied")
                        .asBoolean())
                .isTrue();
        assertThat(inbox.cli().json("schema", "apply").get("applied").asBoolean())
                .isFalse();

        assertThat(inbox.cli().json("schema", "check").get("ok").asBoolean()).isTrue();
        assertThat(inbox.cli().json("schema", "diff").get("same").asBoolean()).isTrue();
        assertThat(inbox.cli().run("schema", "diff").exitCode()).isZero();
    }

    @Test
    void droppedObjectIsFoundDespiteCorrectVersion() throws SQLException {
        inbox.cli().run("schema", "apply", "-y");
        try (Connection connection = inbox.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("drop view idembox_inbox");
        }

        Cli.Result check = inbox.cli().run("schema", "check", "-o", "json");
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(check.json().get("problem").asText()).contains("objects are missing: view idembox_inbox.");
        Cli.Result diff = inbox.cli().run("schema", "diff");
        assertThat(diff.exitCode()).isEqualTo(1);
        assertThat(diff.err()).contains("view idembox_inbox");
    }

    @Test
    void sqlIsPrintedWithPrefixWithoutDatabase() {
        assertThat(Cli.withoutDatabase().run("schema", "print").out().strip())
                .isEqualTo(InboxSchema.print("postgresql").strip());
        assertThat(Cli.withoutDatabase()
                        .json("schema", "print", "--database", "h2", "--table-prefix", "shop_")
                        .get("sql")
                        .asText())
                .contains("create table shop_ledger");
        assertThat(Cli.withoutDatabase()
                        .run("schema", "print", "--database", "oracle")
                        .exitCode())
                .isEqualTo(1);
    }

    @Test
    void rolesArePrintedWithPrefixWithoutDatabase() {
        assertThat(Cli.withoutDatabase().run("schema", "roles").out().strip())
                .isEqualTo(InboxSchema.roles("postgresql", InboxSchema.DEFAULT_PREFIX)
                        .strip());
        assertThat(Cli.withoutDatabase()
                        .json("schema", "roles", "--table-prefix", "shop_")
                        .get("sql")
                        .asText())
                .contains("grant select on shop_schema", "to shop_app")
                .doesNotContain("idembox_");
    }

    @Test
    void tablePrefixSelectsOtherTables() {
        inbox.withTables();

        assertThat(inbox.cli().run("--table-prefix", "shop_", "schema", "check").exitCode())
                .isEqualTo(1);
        assertThat(inbox.cli().run("schema", "check").exitCode()).isZero();
    }

    @Test
    void missingTablesAreReportedWithAdvice() {
        Cli.Result result = inbox.cli().run("status");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err().lines()).hasSize(1);
        assertThat(result.err()).contains("schema apply");
    }

    @Test
    @Tag("slow")
    void unreachableDatabaseIsOneLineUnlessDebug() {
        Cli away = Cli.on("jdbc:h2:tcp://127.0.0.1:1/nothing");

        Cli.Result result = away.run("status");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err().lines()).hasSize(1);
        assertThat(away.run("status", "--debug").err()).contains("\tat io.idembox.cli");
        assertThat(Cli.on("jdbc:nothing:x").run("status").exitCode()).isEqualTo(2);
    }

    @Test
    void invalidUsageExitsWithTwoAndPointsToHelp() {
        assertThat(Cli.withoutDatabase().run("parked").err()).contains("idembox parked --help");
        assertThat(Cli.withoutDatabase().run("parkd").exitCode()).isEqualTo(2);
        assertThat(Cli.withoutDatabase().run("parkd").err()).contains("parked");
        assertThat(Cli.withoutDatabase().run("status").err()).contains("--jdbc");
        assertThat(Cli.withoutDatabase().run("status", "-o", "xml").exitCode()).isEqualTo(2);
        assertThat(Cli.on("jdbc:postgresql://u:secret@h/x").run("status").err())
                .contains("--password-file")
                .doesNotContain("secret");
        assertThat(inbox.cli().run("status", "--policies", "nowhere.yaml").exitCode())
                .isEqualTo(2);
    }
}
