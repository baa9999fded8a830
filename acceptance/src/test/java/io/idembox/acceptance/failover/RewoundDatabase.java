// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.testkit.kafka.KafkaServer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/**
 * A failover after which the database goes on from an earlier time, while the offsets in Kafka are ahead of it. What was
 * forgotten is read again. In the end all processes are restarted, a third of the messages is sent again, and every message must
 * have one effect.
 */
abstract class RewoundDatabase implements FailoverRun.Programme {

    private final String name;
    private final String copy;
    private final int breaksPerRewind;

    /**
     * @param copy what the database goes on from
     * @param breaksPerRewind how often the order of a key may break each time
     */
    RewoundDatabase(String name, String copy, int breaksPerRewind) {
        this.name = name;
        this.copy = copy;
        this.breaksPerRewind = breaksPerRewind;
    }

    /** Makes the copy, opens the window in which commits are forgotten, and lets the database go on from the copy. */
    abstract void rewind(Options options, Database database, Stage stage, Window window)
            throws SQLException, IOException;

    @Override
    public final Findings run(Options options) throws SQLException, IOException {
        try (Database database = new Database();
                KafkaServer kafka = Servers.oneBroker();
                Stage stage = new Stage(options, database, kafka.bootstrap(), 15)) {
            Window window = new Window(stage, options);
            stage.start(2, List.of(Reader.DIRECT, Reader.STORED, Reader.SINK));
            int rewinds = options.of(2, 1);
            for (int rewind = 1; rewind <= rewinds; rewind++) {
                rewind(options, database, stage, window);
                window.reuseIds();
            }
            stage.drain();
            stage.report("restarted, and a third of the messages sent again");
            stage.killAll();
            stage.startAll();
            stage.load().again(3);
            stage.drain();
            stage.check(rewinds * breaksPerRewind);
            stage.count("kills", rewinds);
            if (stage.counted("forgotten") == 0) {
                stage.findings().wrong("the " + copy + " was not behind: nothing was forgotten");
            }
            return stage.judge(name);
        }
    }

    /** @param before the effects that there were before the database went back */
    static void countForgotten(Stage stage, int before) {
        try {
            int forgotten = before - stage.journal().count();
            stage.count("forgotten", forgotten);
            stage.report("the database goes on from an earlier time and has forgotten " + forgotten + " effects");
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
