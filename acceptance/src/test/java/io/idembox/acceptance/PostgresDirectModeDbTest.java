// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

class PostgresDirectModeDbTest extends DirectModeContract {

    @Override
    TestDatabase open() {
        return TestDatabase.postgres();
    }
}
