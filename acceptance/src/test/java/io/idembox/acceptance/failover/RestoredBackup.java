// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.testkit.kafka.KafkaServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The database is restored from a backup that was taken under load, while the offsets in Kafka are ahead of it. All processes
 * are started after that. What the backup does not have is read again, in the order of the topic.
 */
final class RestoredBackup implements FailoverRun.Programme {

    static final String NAME = "restored-backup";

    @Override
    public boolean run(Options options) throws SQLException, IOException {
        try (Database database = new Database();
                KafkaServer kafka = Servers.oneBroker();
                Stage stage = new Stage(options, database, kafka.bootstrap(), 15)) {
            Window window = new Window(stage, options);
            stage.start(2, List.of(Reader.DIRECT, Reader.STORED, Reader.SINK));
            int restores = options.of(2, 1);
            for (int restore = 1; restore <= restores; restore++) {
                CompletableFuture<Void> loading = CompletableFuture.runAsync(() -> window.load(options.of(1_000, 500)));
                Wait.seconds(1);
                Path backup = database.backUp();
                stage.report("backed up");
                loading.join();
                window.open();
                stage.killAll();
                int before = stage.journal().count();
                database.restore(backup, () -> AsyncStandby.count(stage, before));
                stage.count("restores", 1);
                stage.startAll();
                window.reuseIds();
            }
            stage.drain();
            stage.report("restarted, and a third of the messages sent again");
            stage.killAll();
            stage.startAll();
            stage.load().again(3);
            stage.drain();
            stage.check(0);
            stage.count("kills", restores);
            if (stage.counted("forgotten") == 0) {
                stage.findings().wrong("the backup was not behind: nothing was forgotten");
            }
            return stage.judge(NAME);
        }
    }
}
