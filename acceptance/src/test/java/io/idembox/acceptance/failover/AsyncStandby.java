// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import java.io.IOException;
import java.sql.SQLException;

/**
 * The standby is behind when it is promoted: what was committed meanwhile is forgotten, and the offsets in Kafka are ahead. The
 * processes survive, and are restarted later. What was forgotten is read again, so every message has one effect in the end. The
 * order of a key may break once per failover.
 */
final class AsyncStandby extends RewoundDatabase {

    static final String NAME = "async-standby";

    AsyncStandby() {
        super(NAME, "standby", 1);
    }

    @Override
    void rewind(Options options, Database database, Stage stage, Window window) throws SQLException, IOException {
        window.load(options.of(800, 400));
        database.addStandby(false);
        window.load(options.of(300, 100));
        database.cutReplication();
        window.open();
        int before = stage.journal().count();
        database.failOver(() -> countForgotten(stage, before));
        stage.count("failovers", 1);
    }
}
