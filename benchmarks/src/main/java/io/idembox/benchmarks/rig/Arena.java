// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import com.sun.management.OperatingSystemMXBean;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.testkit.postgres.PostgresServer;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * A durable PostgreSQL of our own, the pool that strategies share, and a connection beside it that looks on.
 *
 * <p>Nothing periodic runs inside a slice: checkpoints and autovacuum would fall on whoever is measured at that moment.
 * Suites call {@link #vacuum} between repetitions instead.
 */
public final class Arena implements AutoCloseable {

    private static final int COMMITS = 200;

    private final PostgresServer server;
    private final HikariDataSource pool;
    private final Connection observer;
    private final OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private Arena(PostgresServer server, int connections) throws SQLException {
        this.server = server;
        this.observer = server.dataSource().getConnection();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl() + "&socketFactory=" + RoundTrips.class.getName());
        config.setMaximumPoolSize(connections);
        config.setKeepaliveTime(0);
        this.pool = new HikariDataSource(config);
    }

    /** What the server is told, besides durability, which the test kit's server has by itself. */
    static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("fsync", "on");
        settings.put("synchronous_commit", "on");
        settings.put("full_page_writes", "on");
        settings.put("shared_buffers", "512MB");
        settings.put("max_wal_size", "32GB");
        settings.put("checkpoint_timeout", "1d");
        settings.put("autovacuum", "off");
        return settings;
    }

    public static Arena open(int connections) throws SQLException {
        return open(connections, Map.of());
    }

    /**
     * Opens one.
     *
     * @param more what the server is told besides the {@linkplain #settings() usual}
     */
    public static Arena open(int connections, Map<String, String> more) throws SQLException {
        PostgresServer.Builder builder = PostgresServer.builder();
        settings().forEach(builder::setting);
        more.forEach(builder::setting);
        PostgresServer server = builder.start();
        try {
            return new Arena(server, connections);
        } catch (SQLException | RuntimeException unusable) {
            server.close();
            throw unusable;
        }
    }

    /** Counted: every strategy has to work through it. */
    public DataSource dataSource() {
        return pool;
    }

    public String serverVersion() {
        return server.version();
    }

    /** A connection of its own, not counted. */
    public Connection connect() throws SQLException {
        return server.dataSource().getConnection();
    }

    /** Runs statements on the side, not counted. */
    public void execute(String... statements) {
        try (Statement statement = observer.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException error) {
            throw new IllegalStateException("The benchmark's own statement failed", error);
        }
    }

    /** A number from the database, on the side. */
    public long ask(String query) {
        try (Statement statement = observer.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException error) {
            throw new IllegalStateException("The benchmark's own query failed", error);
        }
    }

    /** Rows from the database as text, on the side. */
    public List<List<String>> rows(String query) {
        try (Statement statement = observer.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            int columns = rows.getMetaData().getColumnCount();
            List<List<String>> all = new ArrayList<>();
            while (rows.next()) {
                List<String> row = new ArrayList<>(columns);
                for (int column = 1; column <= columns; column++) {
                    row.add(String.valueOf(rows.getString(column)));
                }
                all.add(row);
            }
            return all;
        } catch (SQLException error) {
            throw new IllegalStateException("The benchmark's own query failed", error);
        }
    }

    /**
     * Empties tables, as they are on the first day: without rows and without statistics. Why not vacuumed: a vacuum of an
     * empty table tells the planner that it will stay empty.
     */
    public void empty(List<String> tables) {
        execute("truncate " + String.join(", ", tables));
    }

    /** Does the housekeeping that must not happen inside a slice. */
    public void vacuum(List<String> tables) {
        execute("vacuum (analyze) " + String.join(", ", tables));
    }

    /** Commits need not reach the disk: for warming up, never while something is measured. */
    void hurry() {
        execute("alter database postgres set synchronous_commit = off");
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    /** Commits reach the disk again. */
    void beDurable() {
        execute("alter database postgres reset synchronous_commit");
        pool.getHikariPoolMXBean().softEvictConnections();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("show synchronous_commit")) {
            rows.next();
            if (!"on".equals(rows.getString(1))) {
                throw new IllegalStateException("Commits are not durable; nothing is measured like this");
            }
        } catch (SQLException error) {
            throw new IllegalStateException("The benchmark's own query failed", error);
        }
    }

    /** The costs so far, to be taken before the clock starts. */
    Measures begin() {
        Measures costs = costs();
        return new Measures(
                System.nanoTime(), costs.clientCpu(), costs.serverCpu(), costs.walBytes(), costs.roundTrips());
    }

    /** The costs so far, with the clock stopped first. */
    Measures end() {
        long stopped = System.nanoTime();
        Measures costs = costs();
        return new Measures(stopped, costs.clientCpu(), costs.serverCpu(), costs.walBytes(), costs.roundTrips());
    }

    private Measures costs() {
        long clientCpu = process.getProcessCpuTime();
        return new Measures(
                0,
                clientCpu,
                ServerCpu.nanos(server.pid()),
                ask("select cast(pg_current_wal_insert_lsn() - '0/0' as bigint)"),
                RoundTrips.total());
    }

    /** How many there were; after each, every page is written to the log whole once more. */
    long checkpoints() {
        return ask("select num_done from pg_stat_checkpointer");
    }

    /** What one durable commit takes here, in milliseconds: whoever commits per message pays it per message. */
    Spread commitMillis() {
        double[] millis = new double[COMMITS];
        for (int i = 0; i < COMMITS; i++) {
            long begin = System.nanoTime();
            ask("select cast(pg_logical_emit_message(true, 'benchmark', 'commit') - '0/0' as bigint)");
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        return Spread.of(millis);
    }

    @Override
    public void close() throws SQLException {
        try (server;
                pool;
                Connection closing = observer) {
            closing.clearWarnings();
        }
    }
}
