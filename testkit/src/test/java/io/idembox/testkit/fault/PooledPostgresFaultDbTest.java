// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.testkit.postgres.PostgresServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;

class PooledPostgresFaultDbTest extends FaultContract {

    private final HikariDataSource pool = new HikariDataSource();

    @Override
    DataSource open() {
        pool.setJdbcUrl(PostgresServer.shared().freshDatabase().jdbcUrl());
        pool.setMaximumPoolSize(3);
        pool.setConnectionTimeout(5_000);
        return pool;
    }

    @Override
    boolean isPostgres() {
        return true;
    }

    @AfterEach
    void close() {
        pool.close();
    }
}
