// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.programme;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** The connections of a process, as an application has them. */
public final class Pool {

    private Pool() {}

    public static HikariDataSource of(String jdbcUrl, int size) {
        return new HikariDataSource(config(jdbcUrl, size));
    }

    /** Starts also while the database is away, and fails a caller after two seconds without a connection. */
    public static HikariDataSource lazy(String jdbcUrl, int size) {
        HikariConfig config = config(jdbcUrl, size);
        config.setConnectionTimeout(2_000);
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    private static HikariConfig config(String jdbcUrl, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        return config;
    }
}
