// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.DeferredWrite;
import io.idembox.Receipt;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a handler gets from its connection belongs to its own message, ends with it, and never leads to the raw one. */
class HandlerConnectionDbTest extends DatabaseTest {

    @Test
    void savepointOfAnotherMessageIsRefused() {
        AtomicReference<Savepoint> kept = new AtomicReference<>();

        List<Receipt> receipts = inbox.handleAll("billing", List.of(message("1"), message("2")), context -> {
            if (context.id().id().equals("1")) {
                kept.set(context.connection().setSavepoint());
                effect(context);
            } else {
                effect(context);
                context.connection().rollback(kept.get());
            }
        });

        assertThat(receipts).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.FAILED);
        assertThat(receipts.get(1).failure().orElseThrow().sqlState()).isEqualTo("2D000");
        assertThat(effects()).as("what message 1 wrote stays").containsExactly("1");
    }

    @Test
    void savepointOfAnotherMessageCannotBeReleasedEither() {
        AtomicReference<Savepoint> kept = new AtomicReference<>();

        List<Receipt> receipts = inbox.handleAll("billing", List.of(message("1"), message("2")), context -> {
            if (context.id().id().equals("1")) {
                kept.set(context.connection().setSavepoint());
            } else {
                context.connection().releaseSavepoint(kept.get());
            }
        });

        assertThat(receipts).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.FAILED);
        assertThat(receipts.get(1).failure().orElseThrow().sqlState()).isEqualTo("2D000");
    }

    @Test
    void savepointsOfTheMessageItselfWork() {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            Connection connection = context.connection();
            Savepoint first = connection.setSavepoint();
            execute(context, "insert into effect (id) values ('undone')");
            connection.rollback(first);
            Savepoint second = connection.setSavepoint("second");
            effect(context);
            connection.releaseSavepoint(second);
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1");
    }

    @Test
    void resultSetOfAHandlerThatReturnedCannotWrite() {
        database.run(
                "create table account (id int primary key, cents int)",
                "insert into account values (1, 100)",
                "insert into account values (2, 100)");
        AtomicReference<ResultSet> kept = new AtomicReference<>();
        List<SQLException> thrown = new ArrayList<>();

        inbox.handleAll("billing", List.of(message("1"), message("2")), context -> {
            if (context.id().id().equals("1")) {
                Statement statement = context.connection()
                        .createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet rows = statement.executeQuery("select id, cents from account order by id");
                rows.next();
                kept.set(rows);
            } else {
                try {
                    kept.get().updateInt("cents", 0);
                    kept.get().updateRow();
                } catch (SQLException refused) {
                    thrown.add(refused);
                }
            }
        });

        assertThat(thrown).hasSize(1);
        assertThat(thrown.get(0).getMessage()).contains("has returned");
        assertThat(database.list("select cents from account order by id")).containsExactly("100", "100");
    }

    @Test
    void statementOfAHandlerThatReturnedCannotCancelTheNextOne() {
        AtomicReference<Statement> kept = new AtomicReference<>();
        inbox.handle(
                "billing",
                message("1"),
                context -> kept.set(context.connection().createStatement()));

        assertThatThrownBy(() -> kept.get().cancel())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("has returned");
    }

    /** Asks a connection for one that should be guarded as well. */
    private interface Detour {
        Connection through(Connection connection) throws SQLException;
    }

    private void assertGuarded(Detour detour) {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            Connection found = detour.through(context.connection());
            assertThatThrownBy(found::commit).isInstanceOf(SQLException.class).hasMessageContaining("is refused");
            throw new IllegalStateException("roll back");
        });

        assertThat(receipt.failure().orElseThrow().errorClass()).contains("IllegalStateException");
    }

    @Test
    void statementsLeadToTheGuardedConnection() {
        assertGuarded(connection -> connection.createStatement().getConnection());
        assertGuarded(connection -> connection
                .prepareStatement("select 1")
                .executeQuery()
                .getStatement()
                .getConnection());
    }

    @Test
    void arraysLeadToTheGuardedConnection() {
        assertGuarded(connection -> {
            ResultSet rows = connection.prepareStatement("select array[1, 2]").executeQuery();
            rows.next();
            return connectionOf(rows.getArray(1).getResultSet(), connection);
        });
        assertGuarded(connection -> {
            ResultSet rows = connection.prepareStatement("select array[1, 2]").executeQuery();
            rows.next();
            return connectionOf(((Array) rows.getObject(1)).getResultSet(), connection);
        });
        assertGuarded(connection -> connectionOf(
                connection.createArrayOf("integer", new Integer[] {1}).getResultSet(), connection));
    }

    /** Some drivers return result sets without a statement. */
    private static Connection connectionOf(ResultSet rows, Connection otherwise) throws SQLException {
        Statement statement = rows.getStatement();
        return statement == null ? otherwise : statement.getConnection();
    }

    @Test
    void metaDataLeadToTheGuardedConnection() {
        assertGuarded(connection -> connection.getMetaData().getConnection());
        assertGuarded(
                connection -> connectionOf(connection.getMetaData().getTables(null, null, "EFFECT", null), connection));
    }

    @Test
    void cursorsLeadToTheGuardedConnection() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no cursors as values");
        database.run("create function open_cursor() returns refcursor language plpgsql as"
                + " $$ declare c refcursor; begin open c for select 1; return c; end $$");

        assertGuarded(connection -> {
            ResultSet rows = connection.prepareStatement("select open_cursor()").executeQuery();
            rows.next();
            return ((ResultSet) rows.getObject(1)).getStatement().getConnection();
        });
    }

    @Test
    void arraysOfAHandlerCanBeWrittenAgain() {
        database.run("create table tagged (tags integer array)");

        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            Connection connection = context.connection();
            ResultSet rows = connection.prepareStatement("select array[1, 2]").executeQuery();
            rows.next();
            try (PreparedStatement insert = connection.prepareStatement("insert into tagged values (?)")) {
                insert.setArray(1, rows.getArray(1));
                insert.executeUpdate();
                insert.setArray(1, connection.createArrayOf("integer", new Integer[] {3}));
                insert.executeUpdate();
                insert.setObject(1, rows.getArray(1));
                insert.executeUpdate();
            }
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(database.list("select tags[1] from tagged")).containsExactly("1", "3", "1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "set lock_timeout = 100",
                "SET /* x */ \"role\" postgres",
                "set search_path to elsewhere",
                "set time zone 'UTC'",
                "select 1; set lock_timeout to 5",
                "reset all",
                "reset role",
                "discard plans",
                "listen orders",
                "unlisten *",
                "deallocate all",
                "select set_config('synchronous_commit', 'off', false)",
                "select pg_catalog.set_config('synchronous_commit', 'off', ?)",
                "select set_config(is_local => false, setting_name => 'role', new_value => 'x')",
                "select \"set_config\"('role', 'x', not true)",
                "update pg_settings set setting = 'off' where name = 'synchronous_commit'",
            })
    void settingsThatOutliveTheTransactionAreRefused(String sql) {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            try (PreparedStatement statement = context.connection().prepareStatement(sql)) {
                statement.execute();
            }
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(receipt.failure().orElseThrow().sqlState()).isEqualTo("2D000");
        assertThat(receipt.failure().orElseThrow().message()).contains("outlive");
    }

    @Test
    void settingsOfTheTransactionAreLeftAlone() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no settings of a transaction");

        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            execute(context, "set local lock_timeout = '5s'");
            execute(context, "set constraints all deferred");
            execute(context, "select set_config('statement_timeout', '30s', true)");
            effect(context);
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select set_config('role', 'x', true)",
                "select set_config('synchronous_commit', 'local', true)",
                "select set_config(is_local => true, new_value => 'on', setting_name => 'Transaction_Read_Only')",
                "set local transaction_read_only = on",
                "set local transaction_isolation = 'serializable'",
                "set local transaction_deferrable = on",
            })
    void localSettingsThatWouldDecideForTheInboxAreRefused(String sql) {
        Receipt receipt = inbox.handle("billing", message("1"), context -> execute(context, sql));

        assertThat(receipt.failure().orElseThrow().sqlState()).isEqualTo("2D000");
        assertThat(receipt.failure().orElseThrow().message()).contains("the commit would run with it");
    }

    /** Changes a connection by a method. */
    private interface Change {
        void on(Connection connection) throws SQLException;
    }

    private void assertChangeRefused(Change change) {
        Receipt receipt = inbox.handle("billing", message("1"), context -> change.on(context.connection()));

        assertThat(receipt.failure().orElseThrow().sqlState()).isEqualTo("2D000");
    }

    @Test
    void methodsThatChangeTheConnectionForOthersAreRefused() {
        assertChangeRefused(connection -> connection.setSchema("public"));
        assertChangeRefused(connection -> connection.setCatalog("public"));
        assertChangeRefused(connection -> connection.setReadOnly(false));
        assertChangeRefused(connection -> connection.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT));
        assertChangeRefused(connection -> connection.setNetworkTimeout(Runnable::run, 60_000));
        assertChangeRefused(connection -> connection.setTypeMap(new java.util.HashMap<>()));
        assertChangeRefused(connection -> connection.setClientInfo("ApplicationName", "x"));
        assertChangeRefused(connection -> connection.setClientInfo(new java.util.Properties()));
        assertChangeRefused(connection -> connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED));
    }

    @Test
    void expectationThatComesTooLateIsRefused() {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            DeferredWrite write = context.later("insert into effect (id) values (?)", "later");
            execute(context, "select 1");
            write.expect(7);
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(receipt.failure().orElseThrow().errorClass()).contains("IllegalStateException");
        assertThat(receipt.failure().orElseThrow().message()).contains("already sent");
        assertThat(effects()).isEmpty();
    }

    @Test
    void durabilitySwitchedOffInsideAFunctionNeitherReachesTheCommitNorTheNextMessage() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no such setting");
        database.run("create function hurry() returns void language sql as"
                + " $$ select set_config('synchronous_commit', 'off', false) $$");
        AtomicReference<String> written = new AtomicReference<>();

        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            effect(context);
            execute(context, "select hurry()");
            try (ResultSet rows = context.connection()
                    .prepareStatement("select pg_current_wal_insert_lsn()")
                    .executeQuery()) {
                rows.next();
                written.set(rows.getString(1));
            }
        });

        assertThat(database.one("select pg_current_wal_flush_lsn() > '" + written.get() + "'::pg_lsn"))
                .as("the commit is on disk when it is answered")
                .isEqualTo("t");
        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(settingOfAllSessions("synchronous_commit")).containsOnly("on");
    }

    @Test
    void durabilityLoweredInsideAFunctionIsRaisedToItsValueAtStartup() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no such setting");
        database.run(
                "create function stay_local() returns void language sql as"
                        + " $$ select set_config('synchronous_commit', 'local', false) $$",
                "create function apply_remotely() returns void language sql as"
                        + " $$ select set_config('synchronous_commit', 'remote_apply', false) $$");

        inbox.handle("billing", message("1"), context -> execute(context, "select stay_local()"));
        assertThat(settingOfAllSessions("synchronous_commit")).containsOnly("on");

        inbox.handle("billing", message("2"), context -> execute(context, "select apply_remotely()"));
        assertThat(settingOfAllSessions("synchronous_commit"))
                .as("a higher one is kept")
                .contains("remote_apply");
    }

    @Test
    void readOnlyDefaultSetInsideAFunctionDoesNotReachTheNextMessage() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no such setting");
        database.run("create function only_read() returns void language sql as"
                + " $$ select set_config('default_transaction_read_only', 'on', false) $$");

        inbox.handle("billing", message("1"), context -> execute(context, "select only_read()"));

        assertThat(settingOfAllSessions("default_transaction_read_only")).containsOnly("off");
        assertThat(inbox.handle("other", message("1"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.COMPLETED);
    }

    /** Reads from every session of the pool: what a handler left is in one of them. */
    private List<String> settingOfAllSessions(String setting) {
        List<String> all = new ArrayList<>();
        List<Connection> taken = new ArrayList<>();
        try {
            try {
                for (int i = 0; i < 3; i++) {
                    Connection connection = database.dataSource().getConnection();
                    taken.add(connection);
                    try (ResultSet rows =
                            connection.prepareStatement("show " + setting).executeQuery()) {
                        rows.next();
                        all.add(rows.getString(1));
                    }
                }
            } finally {
                for (Connection connection : taken) {
                    connection.close();
                }
            }
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
        return all;
    }
}
