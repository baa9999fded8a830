// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.acceptance.Overheard;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.kafka.RetentionCheck;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ledger rows have to be kept for at least as long as Kafka can deliver a record again. */
class KafkaRetentionDbTest {

    private static final Duration LEDGER = Duration.ofDays(30);

    private final KafkaBench bench = new KafkaBench(1);

    @AfterEach
    void close() {
        bench.close();
    }

    private String topic(String name, Map<String, String> configs) {
        String full = bench.topic + "-" + name;
        bench.createTopic(full, 1, configs);
        return full;
    }

    private static Map<String, String> keptFor(Duration time) {
        return Map.of("retention.ms", String.valueOf(time.toMillis()));
    }

    private void start(RetentionCheck check, Retention rows, String... topics) {
        Inbox inbox = bench.inbox();
        inbox.subscribe("billing")
                .policy(ConsumerPolicy.defaults().retention(rows))
                .from(KafkaSource.topics(bench.config(), topics)
                        .firstStart(FirstStart.EARLIEST)
                        .retention(check))
                .on("Paid", String.class, (payload, context) -> KafkaBench.effect(context))
                .start();
    }

    @Test
    void longerTopicRetentionIsRefusedWithBothNumbers() {
        String fine = topic("fine", keptFor(Duration.ofDays(7)));
        String longer = topic("longer", keptFor(Duration.ofDays(40)));
        assertThatThrownBy(() -> start(RetentionCheck.REFUSE, Retention.of(LEDGER), fine, longer))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("30 days")
                .hasMessageContaining("47 days (retention.ms and segment.ms together)")
                .hasMessageContaining(longer)
                .hasMessageContaining("retention.ledger")
                .hasMessageContaining("retention.ms");
    }

    @Test
    void warnStartsAndReads() {
        String longer = topic("longer", keptFor(Duration.ofDays(40)));
        try (Overheard log = new Overheard()) {
            start(RetentionCheck.WARN, Retention.of(LEDGER), longer);
            sendTo(longer);
            bench.awaitEffects(1);
            assertThat(warnings(log))
                    .singleElement()
                    .asString()
                    .contains("keeps ledger rows for 30 days", longer, "up to 47 days");
        }
    }

    @Test
    void offStartsAndReadsWithoutWarning() {
        String forever = topic("forever", Map.of("retention.ms", "-1"));
        try (Overheard log = new Overheard()) {
            start(RetentionCheck.OFF, Retention.of(LEDGER), forever);
            sendTo(forever);
            bench.awaitEffects(1);
            assertThat(warnings(log)).isEmpty();
        }
    }

    private static List<String> warnings(Overheard log) {
        return log.text()
                .lines()
                .filter(line -> line.contains("WARN") && line.contains("keeps ledger rows"))
                .toList();
    }

    @Test
    void unlimitedTopicRetentionIsRefused() {
        String forever = topic("forever", Map.of("retention.ms", "-1"));
        assertThatThrownBy(() -> start(RetentionCheck.REFUSE, Retention.of(LEDGER), forever))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("30 days")
                .hasMessageContaining("for ever");
    }

    @Test
    void compactedTopicIsRefused() {
        String compacted = topic("compacted", Map.of("cleanup.policy", "compact", "retention.ms", "1000"));
        assertThatThrownBy(() -> start(RetentionCheck.REFUSE, Retention.of(LEDGER), compacted))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("for ever")
                .hasMessageContaining("compact");
    }

    @Test
    void compactedTopicWithDeleteUsesItsRetention() {
        String both = topic(
                "both",
                Map.of(
                        "cleanup.policy",
                        "compact,delete",
                        "retention.ms",
                        keptFor(Duration.ofDays(7)).get("retention.ms")));
        assertThatCode(() -> start(RetentionCheck.REFUSE, Retention.of(LEDGER), both))
                .doesNotThrowAnyException();
    }

    @Test
    void longerLedgerRetentionIsAccepted() {
        // A record is deleted with its segment, which is open for up to seven days.
        String fine = topic("fine", keptFor(LEDGER.minusDays(7)));
        start(RetentionCheck.REFUSE, Retention.of(LEDGER), fine);
        sendTo(fine);
        bench.awaitEffects(1);
    }

    @Test
    void unlimitedLedgerAcceptsAnyTopic() {
        String forever = topic("forever", Map.of("retention.ms", "-1"));
        start(RetentionCheck.REFUSE, Retention.forever(), forever);
        sendTo(forever);
        bench.awaitEffects(1);
    }

    private void sendTo(String topic) {
        var paid = bench.paid("1", "k");
        bench.sendNow(new ProducerRecord<>(topic, null, paid.key(), paid.value(), paid.headers()));
    }
}
