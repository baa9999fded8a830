// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.testkit.fault.CuttingProxy;
import io.idembox.testkit.postgres.PostgresServer;
import io.idembox.testkit.process.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL that may have a standby or a backup, behind one port that does not change: clients reach the server that is the
 * primary now. The standby reads from the primary through a port of its own, which can be closed. All of it is on loopback, and
 * everything ends and is removed with this process. Not thread-safe.
 */
final class Database implements AutoCloseable {

    private static final Watchdog.GuardedServer WARD = new Watchdog.GuardedServer("failover", "KILL", "PG");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String STANDBY = "standby";

    private final Path directory;
    private final Watchdog watchdog;
    private final CuttingProxy clients = CuttingProxy.start();
    private final CuttingProxy replication = CuttingProxy.start();
    private PostgresServer primary;
    private Path primaryData;
    private @Nullable PostgresServer standby;
    private @Nullable Path standbyData;
    private int number;

    Database() throws IOException {
        this.directory = Files.createTempDirectory("idembox-failover-");
        // As root the servers may run as another user, which needs access.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        this.watchdog = Watchdog.start(WARD, directory);
        this.primaryData = nextDirectory();
        this.primary = server(primaryData).start();
        clients.forwardTo(primary.port());
    }

    private Path nextDirectory() {
        return directory.resolve("data-" + ++number);
    }

    private static PostgresServer.Builder server(Path data) {
        return PostgresServer.builder()
                .dataDirectory(data)
                .setting("wal_keep_size", "2GB")
                .setting("wal_retrieve_retry_interval", "200ms");
    }

    /** The same before and after a failover. */
    String jdbcUrl() {
        return primary.jdbcUrl().replace(":" + primary.port() + "/", ":" + clients.port() + "/");
    }

    /** Of the primary as it is now, not through the clients' port. */
    DataSource dataSource() {
        return primary.dataSource();
    }

    /** A standby that has everything, and goes on to get everything. */
    void addStandby(boolean synchronous) throws SQLException, IOException {
        standbyData = nextDirectory();
        Backup.take(primary.dataSource(), primaryData, standbyData);
        Files.createFile(standbyData.resolve("standby.signal"));
        replication.accept();
        replication.forwardTo(primary.port());
        standby = server(standbyData)
                .setting(
                        "primary_conninfo",
                        "host=127.0.0.1 port=" + replication.port() + " user=postgres application_name=" + STANDBY)
                .start();
        awaitStandby("state = 'streaming' and replay_lsn >= pg_current_wal_flush_lsn()");
        if (synchronous) {
            execute(primary, "alter system set synchronous_standby_names = '" + STANDBY + "'");
            execute(primary, "select pg_reload_conf()");
            awaitStandby("sync_state = 'sync'");
        }
    }

    private void awaitStandby(String condition) throws SQLException {
        Wait.until(
                "the standby to be: " + condition,
                PATIENCE,
                () -> one(primary, "select exists (select 1 from pg_stat_replication where " + condition + ")")
                        .equals("t"));
    }

    /** From now on the standby gets nothing. With a synchronous one commits hang. */
    void cutReplication() {
        replication.refuse();
        replication.cutAll();
    }

    /** The primary is killed, the standby is promoted, and clients find it under the port they know. */
    void failOver(Runnable afterPromotion) throws SQLException {
        PostgresServer promoted = Objects.requireNonNull(standby, "there is no standby");
        clients.refuse();
        primary.kill();
        clients.cutAll();
        execute(promoted, "select pg_promote()");
        replaceBy(promoted, Objects.requireNonNull(standbyData), afterPromotion);
        standby = null;
    }

    Path backUp() throws SQLException, IOException {
        Path backup = nextDirectory();
        Backup.take(primary.dataSource(), primaryData, backup);
        return backup;
    }

    /** The server is killed, and one on the backup takes its place. The backup is used up. */
    void restore(Path backup, Runnable afterStart) {
        clients.refuse();
        primary.kill();
        clients.cutAll();
        replaceBy(server(backup).start(), backup, afterStart);
    }

    private void replaceBy(PostgresServer next, Path data, Runnable beforeClients) {
        primary.close();
        primary = next;
        primaryData = data;
        beforeClients.run();
        clients.forwardTo(next.port());
        clients.accept();
    }

    private static void execute(PostgresServer server, String sql) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String one(PostgresServer server, String sql) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public void close() {
        clients.close();
        replication.close();
        PostgresServer second = standby;
        if (second != null) {
            second.kill();
            second.close();
        }
        primary.kill(); // the data is removed next
        primary.close();
        watchdog.close(); // removes the directory
    }
}
