// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Payload;
import io.idembox.Receipt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a handler sets for its transaction holds for its own message, and for no other and not for the inbox. */
class LocalSettingsDbTest extends DatabaseTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select set_config(?, 'A', true)",
                "select set_config('app.' || 'tenant', 'A', true)",
                "select set_config(E'app.tenant', 'A', true)",
                "set local U&\"app.tenant\" = 'A'",
            })
    void localSettingWhoseNameCannotBeReadIsRefused(String sql) {
        Receipt receipt = inbox.handle("billing", message("1"), context -> execute(context, sql));

        assertThat(receipt.failure().orElseThrow().sqlState()).isEqualTo("2D000");
        assertThat(receipt.failure().orElseThrow().message()).contains("Write the name");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "set local app.tenant = 'A'",
                "SET /* x */ LOCAL \"app\" . tenant TO 'A'",
                "select set_config('app.tenant', 'A', true)",
                "select set_config('App.Tenant', 'A', 't')",
                "select 1; set local app.tenant = 'A'",
            })
    void localSettingDoesNotReachOtherMessagesOfTheBatch(String sql) {
        Assumptions.assumeTrue(isPostgres(), "H2 has no settings of a transaction");
        List<String> tenants = new ArrayList<>();

        List<Receipt> receipts =
                inbox.handleAll("billing", List.of(message("1"), message("2"), message("3")), context -> {
                    if (context.id().id().equals("2")) {
                        execute(context, sql);
                    }
                    effect(context);
                    tenants.add(setting(context, "app.tenant"));
                });

        assertThat(receipts).extracting(Receipt::kind).containsOnly(Receipt.Kind.COMPLETED);
        assertThat(tenants).containsExactly("", "A", "");
    }

    @Test
    void localSettingDoesNotReachOthersOfABatchThatRunsMessageByMessage() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no settings of a transaction");
        List<String> tenants = new ArrayList<>();

        inbox.handleAll("billing", List.of(message("1"), message("2"), message("3"), message("4")), context -> {
            String id = context.id().id();
            if (id.equals("1") || id.equals("3")) {
                execute(context, "set local app.tenant = '" + id + "'");
            }
            tenants.add(id + setting(context, "app.tenant"));
            if (id.equals("3")) {
                throw new IllegalStateException("this one fails");
            }
        });

        assertThat(tenants).containsExactly("11", "2", "33", "11", "2", "33", "4");
    }

    @Test
    void settingsOfTheSessionAreBackAfterAMessageThatChangedThem() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no settings of a transaction");
        List<String> found = new ArrayList<>();

        List<Receipt> receipts = inbox.handleAll("billing", List.of(message("1"), message("2")), context -> {
            found.add(setting(context, "search_path") + " " + setting(context, "lock_timeout"));
            if (context.id().id().equals("1")) {
                execute(context, "set local lock_timeout = 1234");
                execute(context, "set local time zone 'Asia/Tokyo'");
                execute(context, "set local schema 'nowhere'");
                execute(context, "set local datestyle = 'ISO, DMY'");
                execute(context, "set local seed = 0.5");
            } else {
                found.add(setting(context, "timezone") + " " + setting(context, "datestyle"));
            }
        });

        assertThat(receipts).extracting(Receipt::kind).containsOnly(Receipt.Kind.COMPLETED);
        assertThat(found.get(1)).isEqualTo(found.get(0)).doesNotContain("nowhere");
        assertThat(found.get(2)).doesNotContain("Tokyo").endsWith("ISO, MDY");
    }

    @Test
    void deferredWritesAreSentWithTheSettingsOfTheirMessage() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no settings of a transaction");
        database.run("create table owned (id varchar(10), tenant text default current_setting('app.tenant', true))");

        inbox.handleAll("billing", List.of(message("1"), message("2"), message("3")), context -> {
            if (!context.id().id().equals("3")) {
                execute(context, "set local app.tenant = 'T" + context.id().id() + "'");
            }
            context.later("insert into owned (id) values (?)", context.id().id());
        });

        assertThat(database.list("select id || tenant from owned order by id")).containsExactly("1T1", "2T2", "3");
    }

    /** The handler undid the error, but to take the setting back failed like the setting itself. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "set local no_such_setting = 1",
                "set local max_connections = 10",
                "set local work_mem = 'much'",
                "select set_config('server_version', '1', true)",
            })
    void settingThatTheDatabaseRefusedAndTheHandlerUndidDoesNotFailTheMessage(String sql) {
        Assumptions.assumeTrue(isPostgres(), "H2 has no settings of a transaction");

        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            execute(context, "set local app.tenant = 'A'");
            Savepoint before = context.connection().setSavepoint();
            try {
                execute(context, sql);
            } catch (SQLException refused) {
                context.connection().rollback(before);
            }
            effect(context);
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1");
    }

    @Test
    void settingThatIsPutOffIsRefused() {
        Receipt receipt = inbox.handle("billing", message("1"), context -> context.later("set local app.tenant = 'A'"));

        assertThat(receipt.failure().orElseThrow().errorClass()).contains("IllegalArgumentException");
        assertThat(receipt.failure().orElseThrow().message()).contains("SET LOCAL app.tenant");
    }

    @Test
    void inboxDoesNotRunWithTheLocalSettingsOfAHandler() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no settings of a transaction");
        database.run("alter table idembox_outcome add tenant text default current_setting('app.tenant', true)");

        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            context.result(Payload.json("{}"));
            execute(context, "set local app.tenant = 'A'");
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(database.list("select tenant from idembox_outcome")).containsExactly("");
    }

    @Test
    void localSettingOfAHandlerEndsWithItAlsoInATransactionOfTheCaller() throws Exception {
        Assumptions.assumeTrue(isPostgres(), "H2 has no settings of a transaction");
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("set local app.tenant = 'mine'");

            inbox.handle(
                    connection, "billing", message("1"), context -> execute(context, "set local app.tenant = 'A'"));

            try (ResultSet rows = connection.createStatement().executeQuery("select current_setting('app.tenant')")) {
                rows.next();
                assertThat(rows.getString(1)).isEqualTo("mine");
            }
            connection.rollback();
        }
    }

    private static String setting(HandlerContext context, String name) throws SQLException {
        try (PreparedStatement statement = context.connection()
                        .prepareStatement("select coalesce(current_setting('" + name + "', true), '')");
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }
}
