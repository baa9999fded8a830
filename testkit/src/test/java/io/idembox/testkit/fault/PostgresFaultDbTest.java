// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import io.idembox.testkit.postgres.PostgresServer;
import javax.sql.DataSource;

class PostgresFaultDbTest extends FaultContract {

    @Override
    DataSource open() {
        return PostgresServer.shared().freshDatabase().dataSource();
    }

    @Override
    boolean isPostgres() {
        return true;
    }
}
