// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.InboxConfigurationException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.UUID;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses settings that would lose or double messages, before the first message. Every check asks the database or tries
 * it out through the application's own DataSource, because pools, proxies and drivers have a say as well.
 */
public final class StartupChecks {

    private static final Logger log = LoggerFactory.getLogger(StartupChecks.class);

    /** Of the last pages: the ledger has no index on arrivals, and in a copy every row is ahead of a sequence that starts again. */
    private static final String LAST_ARRIVAL = """
            select max(arrival) / 2048
              from {prefix}ledger
             where ctid >= (select format('(%s,0)', greatest(0, pg_relation_size('{prefix}ledger')
                                                                / current_setting('block_size')::bigint - 8))::tid)
            """;

    private static final String LAST_KEY = "select max(key_id) from {prefix}key";

    private final DataSource dataSource;
    private final Database database;
    private final TableNames tables;
    private final boolean lossAccepted;

    /** Unsafe durability settings are refused, or only said where loss is accepted. */
    public StartupChecks(DataSource dataSource, Database database, TableNames tables, boolean lossAccepted) {
        this.dataSource = dataSource;
        this.database = database;
        this.tables = tables;
        this.lossAccepted = lossAccepted;
    }

    /** Runs all checks; returns the properties of the DataSource's sessions. */
    public StoreSettings.Sessions run() {
        try (Connection connection = dataSource.getConnection()) {
            Connections.checkFirst(connection, database);
            boolean autoCommits = connection.getAutoCommit();
            connection.setAutoCommit(true);
            String durability = switch (database) {
                case POSTGRESQL -> checkPostgres(connection);
                case H2 -> checkH2(connection);
            };
            connection.setAutoCommit(autoCommits);
            return new StoreSettings.Sessions(autoCommits, durability);
        } catch (SQLException error) {
            throw SqlErrors.unavailable("answer the start-up checks", error);
        }
    }

    private String checkPostgres(Connection connection) throws SQLException {
        checkPrimary(connection);
        checkCitus(connection);
        if (mayRecord(connection)) {
            checkRecordingAndRollback(connection);
            checkSequence(connection, "{prefix}arrival", LAST_ARRIVAL);
            checkSequence(connection, "{prefix}key_number", LAST_KEY);
        }
        checkAutosave(connection);
        checkForcedBinary(connection);
        checkDurable(connection, "fsync", "off");
        checkDurable(connection, "full_page_writes", "off");
        checkDurable(connection, "synchronous_commit", "off");
        return ask(connection, "show synchronous_commit");
    }

    private String checkH2(Connection connection) throws SQLException {
        checkRecordingAndRollback(connection);
        checkWriteDelay(connection);
        return "";
    }

    /** docs/scale-out.md describes the layouts. */
    private void checkCitus(Connection connection) throws SQLException {
        if (ask(connection, "select to_regclass('pg_catalog.pg_dist_partition') is null")
                .equals("t")) {
            return;
        }
        String distributed = "select count(*) from pg_catalog.pg_dist_partition where logicalrelid = '{prefix}ledger'"
                + "::regclass";
        if (!ask(connection, tables.in(distributed)).equals("0")) {
            throw new InboxConfigurationException(
                    "The inbox tables are distributed by Citus. Citus refuses statements that claims, retries, leases,"
                            + " operator commands and retention need there (SQLState 0A000, 42P01), so messages would be"
                            + " acknowledged and never handled. Keep the inbox in tables of a PostgreSQL database without Citus,"
                            + " together with its effects: docs/scale-out.md.");
        }
        refuseOrSay(
                "Citus is installed in this database. Citus commits a shard before it commits the inbox tables, so after a"
                        + " crash a handler's write to a distributed table can stand without its ledger row, and the redelivery"
                        + " writes it a second time. Keep inbox and effects in a database without Citus (docs/scale-out.md); if no"
                        + " handler writes to a distributed table, nothing is doubled");
    }

    /**
     * Logical replication copies rows and leaves sequences at their start. The sequence is read after the snapshot of the rows, so a
     * node that records at the same time changes nothing.
     */
    private void checkSequence(Connection connection, String sequence, String lastInUse) throws SQLException {
        String question = "select case when has_sequence_privilege('" + sequence + "', 'usage, select') then"
                + " coalesce(pg_sequence_last_value('" + sequence + "'), 0) < (" + lastInUse + ") end";
        if (ask(connection, tables.in(question)).equals("t")) {
            throw new InboxConfigurationException("The sequence " + tables.in(sequence)
                    + " is behind the numbers that are in use: the tables were copied without the values of their sequences, as"
                    + " logical replication does. New messages would get the numbers of old ones. Give the three sequences of"
                    + " the inbox the old server's values with setval: docs/scale-out.md.");
        }
    }

    private static void checkPrimary(Connection connection) throws SQLException {
        if (ask(connection, "select pg_is_in_recovery()").equals("t")
                || ask(connection, "show transaction_read_only").equals("on")) {
            throw new InboxConfigurationException(
                    "The DataSource leads to a server that cannot be written to (a standby,"
                            + " or default_transaction_read_only is on). Dedup marks have to be written where the effects are:"
                            + " point it at the primary, for example with targetServerType=primary.");
        }
    }

    /** People who look, command or audit have logins that cannot record, and nothing that could be doubled. */
    private boolean mayRecord(Connection connection) throws SQLException {
        boolean may = ask(connection, tables.in("select has_table_privilege('{prefix}ledger', 'insert')"))
                .equals("t");
        if (!may) {
            log.warn(
                    "This login may not record messages, so none can be received or stored here. Looks and commands work as"
                            + " far as its role allows.");
        }
        return may;
    }

    /** Tries it out, and asks the driver: {@code conservative} shows only in rare errors. */
    private static void checkAutosave(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        boolean survived;
        try {
            ask(connection, "select 1 / (select 0)");
            survived = true;
        } catch (SQLException expected) {
            survived = answers(connection);
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        if (survived || !autosaveOf(connection).equals("NEVER")) {
            throw new InboxConfigurationException("The driver setting autosave is " + autosaveOf(connection)
                    + ". With it a transaction goes on after a failed statement, so half an effect could be committed."
                    + " Set autosave=never in the JDBC URL or the DataSource.");
        }
    }

    private static boolean answers(Connection connection) {
        try {
            ask(connection, "select 1");
            return true;
        } catch (SQLException aborted) {
            return false;
        }
    }

    private static String autosaveOf(Connection connection) {
        return askDriver(connection, "getAutosave", "NEVER").toUpperCase(Locale.ROOT);
    }

    private static String askDriver(Connection connection, String question, String otherwise) {
        try {
            Class<?> driver = OpenTransaction.ofDriver("org.postgresql.PGConnection", connection.getClass());
            Method method = driver.getMethod(question);
            Object own = connection.unwrap(driver);
            return driver.isInstance(own) ? String.valueOf(method.invoke(own)) : otherwise;
        } catch (ReflectiveOperationException | SQLException | LinkageError unknownDriver) {
            return otherwise;
        }
    }

    /** With a negative prepareThreshold the driver describes every statement first, and so sends a bundle in pieces. */
    private static void checkForcedBinary(Connection connection) {
        if (askDriver(connection, "getPrepareThreshold", "5").startsWith("-")) {
            throw new InboxConfigurationException(
                    "The driver setting prepareThreshold is negative, which forces binary transfer and splits the bundles of"
                            + " statements that the inbox sends; claims would fail. Leave prepareThreshold out of the JDBC URL, or"
                            + " set it to 0 or more.");
        }
    }

    private void checkDurable(Connection connection, String setting, String unsafe) throws SQLException {
        if (ask(connection, "show " + setting).equals(unsafe)) {
            refuseOrSay("PostgreSQL runs with " + setting + "=" + unsafe
                    + ": it forgets acknowledged commits in a crash, and"
                    + " the broker was told to forget them too. Set " + setting + "=on");
        }
    }

    private void checkWriteDelay(Connection connection) throws SQLException {
        String url = connection.getMetaData().getURL();
        if (url.startsWith("jdbc:h2:mem:")) {
            log.warn("H2 in memory keeps nothing when the process ends. For development and tests only.");
            return;
        }
        String delay = ask(
                connection, "select setting_value from information_schema.settings where setting_name = 'WRITE_DELAY'");
        if (!delay.equals("0")) {
            refuseOrSay("H2 writes commits to disk " + delay
                    + " ms late, so it forgets acknowledged ones in a crash. Append"
                    + " ;WRITE_DELAY=0 to the JDBC URL");
        }
    }

    private void refuseOrSay(String finding) {
        if (!lossAccepted) {
            throw new InboxConfigurationException(
                    finding + ", or call acceptLoss() on the builder if you can live with it.");
        }
        log.warn("{}. Accepted by acceptLoss().", finding);
    }

    /**
     * Writes one mark twice and rolls back: the first has to be new, the second a duplicate, and afterwards both have to be
     * gone. Finds drivers whose row counts lie and pools that commit on their own.
     */
    private void checkRecordingAndRollback(Connection connection) throws SQLException {
        byte[] probe = IdBytes.of("probe-" + UUID.randomUUID());
        connection.setAutoCommit(false);
        try {
            boolean first = insertProbe(connection, probe);
            boolean second = insertProbe(connection, probe);
            if (!first || second) {
                throw new InboxConfigurationException("Recording one message twice was answered " + word(first) + ", "
                        + word(second)
                        + " instead of new, duplicate. The driver or a proxy changes row counts; the inbox"
                        + " cannot tell duplicates here.");
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        try (PreparedStatement statement = prepare(connection, NameStatement.FIND_PROBE)) {
            statement.setBytes(1, probe);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                if (rows.getInt(1) != 0) {
                    throw new InboxConfigurationException(
                            "A mark that was rolled back is still there: the DataSource commits"
                                    + " on its own, so marks and effects would not be one transaction. Give the inbox a DataSource"
                                    + " whose connections honour setAutoCommit(false).");
                }
            }
        }
    }

    private boolean insertProbe(Connection connection, byte[] probe) throws SQLException {
        try (PreparedStatement statement = prepare(connection, LedgerStatement.INSERT_MARK)) {
            statement.setLong(1, -1);
            Timestamps.bind(statement, 2, java.time.Instant.now());
            statement.setObject(3, new UUID(0, 0));
            statement.setInt(4, 0);
            statement.setInt(5, 0);
            statement.setString(6, "D");
            statement.setBytes(7, probe);
            return statement.executeUpdate() == 1;
        } catch (SQLException error) {
            if (LedgerWriter.isDuplicate(error)) {
                return false;
            }
            throw error;
        }
    }

    private PreparedStatement prepare(Connection connection, SqlStatement statement) throws SQLException {
        return Sql.prepare(connection, tables.in(statement.text(database)));
    }

    private static String word(boolean isNew) {
        return isNew ? "new" : "duplicate";
    }

    private static String ask(Connection connection, String question) throws SQLException {
        try (PreparedStatement statement = Sql.prepare(connection, question);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? String.valueOf(rows.getString(1)) : "";
        }
    }
}
