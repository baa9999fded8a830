// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

class H2FaultDbTest extends FaultContract {

    @Override
    DataSource open() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return dataSource;
    }

    @Override
    boolean isPostgres() {
        return false;
    }
}
