// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import com.zaxxer.hikari.HikariDataSource;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;

class PooledH2FaultDbTest extends FaultContract {

    private final HikariDataSource pool = new HikariDataSource();

    @Override
    DataSource open() {
        pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        pool.setMaximumPoolSize(3);
        pool.setConnectionTimeout(5_000);
        return pool;
    }

    @Override
    boolean isPostgres() {
        return false;
    }

    @AfterEach
    void close() {
        pool.close();
    }
}
