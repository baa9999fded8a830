// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.purge;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** A PostgreSQL database with a pool in front of it, and a table whose rows are the effects. */
final class PurgeWorld implements AutoCloseable {

    private final PostgresDatabase database = PostgresServer.shared().freshDatabase();
    private final HikariDataSource pool;

    PurgeWorld() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(20_000);
        this.pool = new HikariDataSource(config);
        run("create table effect (id varchar(100) not null)");
    }

    DataSource dataSource() {
        return pool;
    }

    /** Runs a statement; how many rows it wrote. */
    int run(String sql, Object... args) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = prepared(connection, sql, args)) {
            return statement.executeUpdate();
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The first column of the first row. */
    String one(String sql, Object... args) {
        return one(pool, sql, args);
    }

    long number(String sql, Object... args) {
        return Long.parseLong(one(sql, args));
    }

    private static String one(DataSource dataSource, String sql, Object... args) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = prepared(connection, sql, args);
                ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                throw new IllegalStateException("No row: " + sql);
            }
            return rows.getString(1);
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, Object... args) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < args.length; i++) {
            statement.setObject(i + 1, args[i]);
        }
        return statement;
    }

    /** Ends all sessions of the pool, because they tell about deadlocks when they end, and asks the server. */
    long deadlocksInTheEnd() {
        pool.close();
        String others = "select count(*) from pg_stat_activity where datname = current_database()"
                + " and backend_type = 'client backend' and pid <> pg_backend_pid()";
        for (int i = 0; i < 2_000 && !one(database.dataSource(), others).equals("0"); i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        return Long.parseLong(one(
                database.dataSource(), "select deadlocks from pg_stat_database where datname = current_database()"));
    }

    @Override
    public void close() {
        pool.close();
        PostgresServer.shared().dropDatabase(database.name());
    }
}
