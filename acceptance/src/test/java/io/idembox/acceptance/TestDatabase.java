// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** An empty database of one kind, with a pool in front of it as applications have one. */
final class TestDatabase implements AutoCloseable {

    /** Where a test runs. */
    enum Kind {
        POSTGRESQL {
            @Override
            TestDatabase open() {
                return on(PostgresServer.shared().freshDatabase().jdbcUrl());
            }
        },
        H2 {
            @Override
            TestDatabase open() {
                return on("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            }
        };

        abstract TestDatabase open();
    }

    /** All databases; only PostgreSQL when the JVM tests a version of it. */
    static List<Kind> kinds() {
        return System.getProperty(PostgresServer.BINARIES) == null ? List.of(Kind.values()) : List.of(Kind.POSTGRESQL);
    }

    private final String jdbcUrl;
    private final HikariDataSource pool;

    private TestDatabase(String jdbcUrl) {
        this.jdbcUrl = jdbcUrl;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setUsername(isH2() ? "sa" : "postgres");
        config.setMaximumPoolSize(12);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(20_000);
        this.pool = new HikariDataSource(config);
    }

    static TestDatabase on(String jdbcUrl) {
        return new TestDatabase(jdbcUrl);
    }

    String jdbcUrl() {
        return jdbcUrl;
    }

    DataSource dataSource() {
        return pool;
    }

    boolean isH2() {
        return jdbcUrl.startsWith("jdbc:h2:");
    }

    /** Without the pool: every connection is a session of its own, which a process that ends takes with it. */
    DataSource sessions() {
        if (isH2()) {
            JdbcDataSource h2 = new JdbcDataSource();
            h2.setURL(jdbcUrl);
            h2.setUser("sa");
            return h2;
        }
        PGSimpleDataSource postgres = new PGSimpleDataSource();
        postgres.setUrl(jdbcUrl);
        postgres.setUser("postgres");
        return postgres;
    }

    void run(String... statements) {
        try (Connection connection = pool.getConnection()) {
            for (String statement : statements) {
                try (PreparedStatement prepared = connection.prepareStatement(statement)) {
                    prepared.execute();
                }
            }
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    /** The first column of all rows, as text. */
    List<String> list(String query) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(String.valueOf(rows.getString(1)));
            }
            return all;
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    /** The first column of all rows, as bytes. */
    List<byte[]> bytes(String query) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            List<byte[]> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getBytes(1));
            }
            return all;
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    String one(String query) {
        return list(query).get(0);
    }

    long count(String table) {
        return Long.parseLong(one("select count(*) from " + table));
    }

    @Override
    public void close() {
        pool.close();
    }
}
