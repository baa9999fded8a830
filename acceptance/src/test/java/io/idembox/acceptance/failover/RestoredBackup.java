// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;

/**
 * The database is restored from a backup that was taken under load, while the offsets in Kafka are ahead of it. All processes
 * are started after that. What the backup does not have is read again, in the order of the topic.
 */
final class RestoredBackup extends RewoundDatabase {

    static final String NAME = "restored-backup";

    RestoredBackup() {
        super(NAME, "backup", 0);
    }

    @Override
    void rewind(Options options, Database database, Stage stage, Window window) throws SQLException, IOException {
        CompletableFuture<Void> loading = CompletableFuture.runAsync(() -> window.load(options.of(1_000, 500)));
        Wait.seconds(1);
        Path backup = database.backUp();
        stage.report("backed up");
        loading.join();
        window.open();
        stage.killAll();
        int before = stage.journal().count();
        database.restore(backup, () -> countForgotten(stage, before));
        stage.count("restores", 1);
        stage.startAll();
    }
}
