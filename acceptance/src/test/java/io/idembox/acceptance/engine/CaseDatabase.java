// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.engine;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A database on which the cases of a programme run one after the other, and which the programme inspects. Thread-safe. */
public abstract class CaseDatabase implements AutoCloseable {

    private final HikariDataSource pool;

    protected CaseDatabase(String jdbcUrl, String user, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setUsername(user);
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(2);
        config.setConnectionTimeout(20_000);
        this.pool = new HikariDataSource(config);
    }

    public final DataSource dataSource() {
        return pool;
    }

    /** PostgreSQL takes several statements at once. */
    public final void execute(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The first column of all rows. */
    public final List<String> list(String query, String... args) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < args.length; i++) {
                statement.setString(i + 1, args[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<String> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(rows.getString(1));
                }
                return all;
            }
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    public final void close() {
        pool.close();
    }
}
