// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.acceptance.failover.Load.Tenant;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.testkit.kafka.KafkaServer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The standby has every commit that was confirmed: nothing is lost, nothing is doubled, and the order of keys stays. The second
 * failover comes while commits hang, because the standby has not answered for a while: their outcome is unknown to the client.
 */
final class SyncStandby implements FailoverRun.Programme {

    static final String NAME = "sync-standby";

    private static final double HANGING_SECONDS = 4;
    private static final List<Tenant> TENANTS =
            List.of(new Tenant("/a", List.of(0, 1, 2)), new Tenant("/b", List.of(0, 1, 2)));

    @Override
    public Findings run(Options options) throws SQLException, IOException {
        try (Database database = new Database();
                KafkaServer kafka = Servers.oneBroker();
                Stage stage = new Stage(options, database, kafka.bootstrap(), 15)) {
            stage.createTopics(3, 1);
            Fleet fleet = stage.start(2, List.of(Reader.DIRECT, Reader.STORED, Reader.SINK));
            int failovers = options.of(3, 2);
            for (int failover = 1; failover <= failovers; failover++) {
                database.addStandby(true);
                int messages = options.of(3_000, 1_200);
                CompletableFuture<Void> sending = stage.load().begin(TENANTS, messages, Options.time(messages));
                Wait.seconds(Options.time(messages).toMillis() / 2_000.0);
                if (failover % 2 == 0) {
                    database.cutReplication();
                    stage.report("the standby does not answer: commits hang");
                    Wait.seconds(HANGING_SECONDS);
                }
                database.failOver(() -> {});
                stage.count("failovers", 1);
                stage.report("failed over to the standby");
                stage.finish(sending);
            }
            stage.drain();
            stage.check(0);
            stage.count("kills", failovers);
            stage.count("unknown-commits", fleet.counted("unknown"));
            return stage.judge(NAME);
        }
    }
}
