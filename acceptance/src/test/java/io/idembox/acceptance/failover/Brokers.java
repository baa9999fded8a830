// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.acceptance.failover.Load.Tenant;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.testkit.kafka.KafkaCluster;
import io.idembox.testkit.kafka.KafkaServer;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Three brokers, every topic on all of them, two of which have to confirm a record. Leaders are killed and come back, and so do
 * consumer processes. Direct and stored, in groups of the classic and of the new protocol, and the chain through the outbox.
 */
final class Brokers implements FailoverRun.Programme {

    static final String NAME = "brokers";

    private static final int PARTITIONS = 4;
    private static final Duration BACK = Duration.ofSeconds(60);
    private static final double DOWN_SECONDS = 3;
    private static final List<Tenant> TENANTS =
            List.of(new Tenant("/a", List.of(0, 1, 2, 3)), new Tenant("/b", List.of(0, 1, 2, 3)));

    @Override
    public Findings run(Options options) throws SQLException, IOException {
        try (Database database = new Database();
                KafkaCluster kafka = Servers.threeBrokers(3);
                Stage stage = new Stage(options, database, kafka.bootstrap(), 15)) {
            for (String topic : List.of(Reader.ORDERS, Reader.RECEIPTS)) {
                stage.topics()
                        .create(new NewTopic(topic, PARTITIONS, (short) 3).configs(Map.of("min.insync.replicas", "2")));
            }
            Fleet fleet = stage.start(
                    2, List.of(Reader.DIRECT, Reader.DIRECT_CLASSIC, Reader.STORED, Reader.STORED_NEW, Reader.SINK));
            int kills = options.of(5, 2);
            for (int kill = 1; kill <= kills; kill++) {
                int messages = options.of(1_200, 1_000);
                CompletableFuture<Void> sending = stage.load().begin(TENANTS, messages, Options.time(messages));
                Wait.seconds(1);
                killLeader(stage, kafka, kill % 2 == 1 ? Reader.ORDERS : Reader.RECEIPTS, kill % PARTITIONS);
                fleet.kill(fleet.ready().get(0));
                stage.count("consumer-kills", 1);
                stage.finish(sending);
                Wait.until(
                        "both processes to be ready", BACK, () -> fleet.ready().size() == 2);
            }
            stage.drain();
            stage.check(0);
            return stage.judge(NAME);
        }
    }

    private static void killLeader(Stage stage, KafkaCluster kafka, String topic, int partition) throws SQLException {
        int leader = stage.topics().leader(topic, partition);
        KafkaServer broker = kafka.broker(leader);
        broker.kill();
        stage.count("kills", 1);
        Wait.seconds(DOWN_SECONDS);
        broker.restart();
        Wait.until(
                "all copies to be in sync",
                BACK,
                () -> stage.topics().isInSync(Reader.ORDERS) && stage.topics().isInSync(Reader.RECEIPTS));
        stage.report("broker " + leader + ", leader of " + topic + "-" + partition + ", was killed and is back");
    }
}
