// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

class H2DirectModeDbTest extends DirectModeContract {

    @Override
    TestDatabase open() {
        return TestDatabase.h2();
    }
}
