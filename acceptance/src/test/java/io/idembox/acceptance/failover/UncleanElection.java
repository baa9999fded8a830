// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.acceptance.failover.Load.Tenant;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.kafka.OnDataLoss;
import io.idembox.testkit.kafka.KafkaCluster;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/**
 * A topic on two brokers loses records by an unclean election: the follower was down while the leader went on alone, and is all
 * that is left. The consumers stop their partitions. Started again without a decision they stay stopped, also when the topic has
 * become longer than it was. With {@code onDataLoss(GO_ON)} every record behind the cut has its effect.
 */
final class UncleanElection implements FailoverRun.Programme {

    static final String NAME = "unclean-election";

    private static final int LEADER = 2;
    private static final int FOLLOWER = 3;
    private static final int PARTITIONS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration STOPPING = Duration.ofSeconds(20);
    private static final double STAYS_STOPPED_SECONDS = 6;
    private static final List<Tenant> TENANTS = List.of(new Tenant("/a", List.of(0, 1)));
    private static final List<Reader> READERS = List.of(Reader.DIRECT, Reader.DIRECT_CLASSIC, Reader.STORED_NEW);

    @Override
    public Findings run(Options options) throws SQLException, IOException {
        try (Database database = new Database();
                KafkaCluster kafka = Servers.threeBrokers(1);
                // A copy of a record that is cut would be the first of its message in the topic that is left.
                Stage stage = new Stage(options, database, kafka.bootstrap(), 0)) {
            List<Integer> copies = List.of(LEADER, FOLLOWER);
            stage.topics()
                    .create(new NewTopic(Reader.ORDERS, Map.of(0, copies, 1, copies))
                            .configs(Map.of("unclean.leader.election.enable", "true", "min.insync.replicas", "1")));
            Fleet fleet = stage.start(1, READERS);
            load(stage, options.of(600, 300));
            Wait.until(
                    "all copies to be in sync", PATIENCE, () -> stage.topics().isInSync(Reader.ORDERS));

            kafka.broker(FOLLOWER).kill();
            load(stage, options.of(600, 300));
            cut(stage, kafka);
            expectStopped(stage, fleet, "the running process");
            stage.finish(send(stage, options.of(1_500, 800)));

            stage.end(fleet);
            Fleet undecided = stage.start(1, READERS);
            expectStopped(stage, undecided, "the restarted process without a decision");

            stage.end(undecided);
            stage.start(1, READERS, OnDataLoss.GO_ON);
            stage.drain();
            stage.compare(0);
            stage.count("cut", stage.findings().gone);
            if (stage.findings().gone == 0) {
                stage.findings().wrong("no record was cut: there was no unclean election");
            }
            return stage.judge(NAME);
        }
    }

    private static CompletableFuture<Void> send(Stage stage, int messages) {
        return stage.load().begin(TENANTS, messages, Options.time(messages));
    }

    private static void load(Stage stage, int messages) throws SQLException {
        stage.finish(send(stage, messages));
        stage.drain();
    }

    /** The leader is killed, and the follower, which has less, leads. */
    private static void cut(Stage stage, KafkaCluster kafka) throws SQLException {
        Map<TopicPartition, Long> before = stage.topics().ends(Reader.ORDERS);
        kafka.broker(LEADER).kill();
        stage.count("kills", 2);
        kafka.broker(FOLLOWER).restart();
        Wait.until("the follower to lead", PATIENCE, () -> {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                if (stage.topics().leader(Reader.ORDERS, partition) != FOLLOWER) {
                    return false;
                }
            }
            return true;
        });
        stage.report("unclean election: " + before + " became " + stage.topics().ends(Reader.ORDERS));
        kafka.broker(LEADER).restart();
    }

    /** Every consumer reports every partition as stopped, and has no further effect. */
    private static void expectStopped(Stage stage, Fleet fleet, String who) throws SQLException {
        int before = stage.journal().count();
        boolean stopped = Wait.becomes(STOPPING, () -> stopped(fleet) == READERS.size() * PARTITIONS);
        Wait.seconds(STAYS_STOPPED_SECONDS);
        int after = stage.journal().count();
        stage.report(who + ": " + stopped(fleet) + " of " + READERS.size() * PARTITIONS + " partitions stopped, "
                + (after - before) + " effects meanwhile");
        if (!stopped || after != before) {
            stage.findings()
                    .wrong(who + " reads on behind the cut without a decision: " + stopped(fleet)
                            + " partitions stopped, " + (after - before) + " effects");
        }
    }

    private static int stopped(Fleet fleet) {
        int stopped = 0;
        for (Reader reader : READERS) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                if (fleet.counted("stopped " + reader.name() + " " + Reader.ORDERS + "-" + partition) > 0) {
                    stopped++;
                }
            }
        }
        return stopped;
    }
}
