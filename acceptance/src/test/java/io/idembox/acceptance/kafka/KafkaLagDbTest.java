// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.admin.Lag;
import io.idembox.admin.Operation;
import io.idembox.event.InboxEvent;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.spi.Backlog;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The lag of a consumer includes the records at the broker and the messages in the inbox. */
class KafkaLagDbTest {

    private final KafkaBench bench = new KafkaBench(3);

    @AfterEach
    void close() {
        bench.close();
    }

    private Inbox reads(Mode mode) {
        Inbox inbox = bench.inbox();
        inbox.subscribe("billing")
                .policy(ConsumerPolicy.defaults().mode(mode))
                .from(KafkaSource.topics(bench.config(), bench.topic).firstStart(FirstStart.EARLIEST))
                .on("Paid", String.class, (payload, context) -> KafkaBench.effect(context))
                .start();
        return inbox;
    }

    /** Waits until the node has paused: messages that arrive earlier are handled. */
    private void pause(Inbox inbox) {
        inbox.admin().pause("billing", Operation.of("anna", "the bank is closed"));
        KafkaBench.await("pause", () -> bench.events.stream().anyMatch(InboxEvent.Paused.class::isInstance));
    }

    private static void awaitLag(Inbox inbox, int waiting, long atBroker) {
        KafkaBench.await(
                waiting + " waiting and " + atBroker + " at the broker",
                () -> {
                    Lag lag = inbox.admin().lag("billing");
                    return lag.waiting().number() == waiting && lag.atBrokers().equals(Optional.of(atBroker));
                },
                () -> inbox.admin().lag("billing").toString());
    }

    @Test
    void directModeLeavesTheBacklogAtTheBroker() {
        bench.sendPaid(0, 30, 10);
        Inbox inbox = reads(Mode.DIRECT);
        bench.awaitEffects(30);
        awaitLag(inbox, 0, 0);
        pause(inbox);
        bench.sendPaid(30, 50, 10);
        awaitLag(inbox, 0, 20);
        List<Backlog.PartitionBacklog> partitionBacklogs = inbox.admin()
                .lag("billing")
                .brokers()
                .get(0)
                .backlogIfAny()
                .orElseThrow()
                .partitions();
        assertThat(partitionBacklogs)
                .hasSize(3)
                .allSatisfy(partitionBacklog ->
                        assertThat(partitionBacklog.next().channel()).isEqualTo(bench.topic));
        assertThat(partitionBacklogs.stream()
                        .mapToLong(partitionBacklog -> partitionBacklog.next().offset())
                        .sum())
                .isEqualTo(30);
        inbox.admin().resume("billing", Operation.of("anna", "it is open"));
        bench.awaitEffects(50);
        awaitLag(inbox, 0, 0);
    }

    @Test
    void storedModeKeepsTheBacklogInTheInbox() {
        bench.sendPaid(0, 10, 10);
        Inbox inbox = reads(Mode.STORED);
        bench.awaitEffects(10);
        pause(inbox);
        bench.sendPaid(10, 35, 10);
        awaitLag(inbox, 25, 0);
        assertThat(inbox.admin().lag("billing").oldestIfAny()).isPresent();
    }
}
