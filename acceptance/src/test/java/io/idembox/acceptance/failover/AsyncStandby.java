// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.testkit.kafka.KafkaServer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/**
 * The standby is behind when it is promoted: what was committed meanwhile is forgotten, and the offsets in Kafka are ahead. The
 * processes survive, and are restarted later. What was forgotten is read again, so every message has one effect in the end. The
 * order of a key may break once per failover.
 */
final class AsyncStandby implements FailoverRun.Programme {

    static final String NAME = "async-standby";

    @Override
    public boolean run(Options options) throws SQLException, IOException {
        try (Database database = new Database();
                KafkaServer kafka = Servers.oneBroker();
                Stage stage = new Stage(options, database, kafka.bootstrap(), 15)) {
            Window window = new Window(stage, options);
            stage.start(2, List.of(Reader.DIRECT, Reader.STORED, Reader.SINK));
            int failovers = options.of(2, 1);
            for (int failover = 1; failover <= failovers; failover++) {
                window.load(options.of(800, 400));
                database.addStandby(false);
                window.load(options.of(300, 100));
                database.cutReplication();
                window.open();
                int before = stage.journal().count();
                database.failOver(() -> count(stage, before));
                stage.count("failovers", 1);
                window.reuseIds();
            }
            stage.drain();
            stage.report("restarted, and a third of the messages sent again");
            stage.killAll();
            stage.startAll();
            stage.load().again(3);
            stage.drain();
            stage.check(failovers);
            stage.count("kills", failovers);
            if (stage.counted("forgotten") == 0) {
                stage.findings().wrong("the standby was not behind: nothing was forgotten");
            }
            return stage.judge(NAME);
        }
    }

    static void count(Stage stage, int before) {
        try {
            int forgotten = before - stage.journal().count();
            stage.count("forgotten", forgotten);
            stage.report("the database goes on from an earlier time and has forgotten " + forgotten + " effects");
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
