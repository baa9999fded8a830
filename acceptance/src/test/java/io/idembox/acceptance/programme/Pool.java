// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.programme;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** The connections of a process, as an application has them. */
public final class Pool {

    private Pool() {}

    public static HikariDataSource of(String jdbcUrl, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }
}
