// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.acceptance.Overheard;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaDeadLetters;
import io.idembox.kafka.KafkaSource;
import io.idembox.kafka.RetentionCheck;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Retention;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records of dead-letter topics become parked messages under their original identity. */
class KafkaDeadLettersDbTest {

    private static final ConsumerPolicy SHORT_RETENTION =
            ConsumerPolicy.defaults().retention(Retention.of(Duration.ofDays(30)));

    private final long lately = Instant.now().minus(Duration.ofMinutes(1)).toEpochMilli();
    private final long longAgo = Instant.now().minus(Duration.ofDays(40)).toEpochMilli();
    private final KafkaBench bench = new KafkaBench(2);
    private final String deadTopic = bench.topic + "-dlt";
    private final List<Message> handled = new CopyOnWriteArrayList<>();

    @BeforeEach
    void createTopic() {
        bench.createTopic(deadTopic, 2, Map.of("retention.ms", "-1"));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Inbox reads() {
        return reads(ConsumerPolicy.defaults());
    }

    private Inbox reads(ConsumerPolicy policy) {
        Inbox inbox = bench.inbox();
        inbox.subscribe("billing")
                .policy(policy)
                .from(KafkaSource.topics(bench.config(), bench.topic).firstStart(FirstStart.EARLIEST))
                .on("Paid", Message.class, (message, context) -> {
                    handled.add(message);
                    KafkaBench.effect(context);
                })
                .start();
        return inbox;
    }

    private KafkaDeadLetters.Report adopt(Inbox inbox) {
        return KafkaDeadLetters.topic(bench.config(), deadTopic).adoptInto(inbox.admin(), "billing");
    }

    private ProducerRecord<byte[], byte[]> dead(String id) {
        ProducerRecord<byte[], byte[]> paid = bench.paid(id, "k");
        return new ProducerRecord<>(deadTopic, null, paid.key(), paid.value(), paid.headers());
    }

    private static void header(ProducerRecord<byte[], byte[]> record, String name, String value) {
        record.headers().add(name, KafkaBench.bytes(value));
    }

    private ProducerRecord<byte[], byte[]> spring(String id, long offset) {
        return spring(id, offset, lately);
    }

    private ProducerRecord<byte[], byte[]> spring(String id, long offset, long sent) {
        ProducerRecord<byte[], byte[]> record = dead(id);
        header(record, "kafka_dlt-original-topic", bench.topic);
        record.headers()
                .add(
                        "kafka_dlt-original-partition",
                        ByteBuffer.allocate(4).putInt(1).array());
        record.headers()
                .add(
                        "kafka_dlt-original-offset",
                        ByteBuffer.allocate(8).putLong(offset).array());
        record.headers()
                .add(
                        "kafka_dlt-original-timestamp",
                        ByteBuffer.allocate(8).putLong(sent).array());
        header(record, "kafka_dlt-original-timestamp-type", "CreateTime");
        header(record, "kafka_dlt-original-consumer-group", "old-billing");
        header(
                record,
                "kafka_dlt-exception-fqcn",
                "org.springframework.kafka.listener.ListenerExecutionFailedException");
        header(record, "kafka_dlt-exception-cause-fqcn", "com.example.BankClosed");
        header(record, "kafka_dlt-exception-message", "the bank is closed");
        header(
                record,
                "kafka_dlt-exception-stacktrace",
                "com.example.BankClosed: closed\n\tat com.example.Bank.pay(B.java:1)\n");
        header(record, "retry_topic-attempts", "3");
        header(record, "mine", "kept");
        return record;
    }

    private ProducerRecord<byte[], byte[]> smallrye(String id, long offset) {
        ProducerRecord<byte[], byte[]> record = dead(id);
        header(record, "dead-letter-topic", bench.topic);
        header(record, "dead-letter-partition", "0");
        header(record, "dead-letter-offset", String.valueOf(offset));
        header(record, "dead-letter-reason", "it went wrong");
        header(record, "dead-letter-cause", "the bank is closed");
        header(record, "dead-letter-exception-class-name", "java.util.concurrent.CompletionException");
        header(record, "dead-letter-cause-class-name", "com.example.BankClosed");
        header(record, "mine", "kept");
        return record;
    }

    private static InboxMessage find(Inbox inbox, String id) {
        return inbox.admin().find("billing", new MessageId("/payments", id)).orElseThrow();
    }

    @Test
    void importedTwiceThereIsOneParkedEntryPerMessageAndItIsRedrivenWithItsOriginalIdentity() {
        bench.sendNow(spring("s1", 41));
        bench.sendNow(smallrye("r1", 42));
        Inbox inbox = reads();
        KafkaDeadLetters.Report first = adopt(inbox);
        assertThat(first).isEqualTo(new KafkaDeadLetters.Report(2, 2, 0, 0, 0, 0, 0, List.of()));
        KafkaDeadLetters.Report second = adopt(inbox);
        assertThat(second).isEqualTo(new KafkaDeadLetters.Report(2, 0, 2, 0, 0, 0, 0, List.of()));
        assertThat(bench.list("select state || ' ' || reason || ' ' || error_class from idembox_entry"))
                .containsExactly(
                        "PARKED DEAD_LETTER com.example.BankClosed", "PARKED DEAD_LETTER com.example.BankClosed");
        assertThat(find(inbox, "s1").failure().message()).isEqualTo("the bank is closed");
        assertThat(find(inbox, "r1").failure().message()).isEqualTo("it went wrong, caused by the bank is closed");
        assertThat(inbox.admin().attempts(find(inbox, "s1")).get(0).failure().stackTrace())
                .contains("at com.example.Bank.pay");

        inbox.admin()
                .redrive(
                        inbox.admin().preview(Filter.of("billing"), 10).refs(),
                        Operation.of("anna", "the bank is open"));
        bench.awaitEffects(2);
        assertThat(bench.list("select id from effect order by id")).containsExactly("r1", "s1");
        Message s1 = handled.stream()
                .filter(message -> message.time().isPresent())
                .findFirst()
                .orElseThrow();
        assertThat(s1.position().orElseThrow()).hasToString(bench.topic + "/1@41");
        assertThat(s1.time().orElseThrow().toEpochMilli()).isEqualTo(lately);
        assertThat(s1.key()).contains("k");
        assertThat(s1.payload().text()).isEqualTo("{\"id\":\"s1\"}");
        assertThat(handled)
                .allSatisfy(message -> assertThat(message.headers().all().stream()
                                .map(header -> header.name())
                                .toList())
                        .containsExactlyInAnyOrder("ce_id", "ce_source", "ce_type", "mine"));

        // The original arrives late: it is a duplicate.
        bench.sendNow(bench.paid("s1", "k"));
        bench.sendNow(bench.paid("other", "k"));
        bench.awaitEffects(3);
        assertThat(bench.list("select id from effect order by id")).containsExactly("other", "r1", "s1");
    }

    @Test
    void completedMessageIsUnchanged() {
        bench.sendPaid(0, 3, 1);
        Inbox inbox = reads();
        bench.awaitEffects(3);
        bench.sendNow(spring("p1", 1));
        bench.sendNow(spring("new", 9));
        KafkaDeadLetters.Report report = adopt(inbox);
        assertThat(report.parked()).isEqualTo(1);
        assertThat(report.known()).isEqualTo(1);
        assertThat(find(inbox, "p1").status()).isEqualTo(Status.COMPLETED);
        assertThat(bench.count("idembox_entry")).isEqualTo(1);
        assertThat(bench.count("effect")).isEqualTo(3);
    }

    @Test
    void oldDeadLetterWithoutLedgerRowIsRefused() {
        bench.sendPaid(0, 1, 1);
        Inbox inbox = reads(SHORT_RETENTION);
        bench.awaitEffects(1);
        // Completed; its ledger row has been purged since.
        bench.run("delete from idembox_ledger");
        bench.sendPaid(1, 2, 1);
        bench.awaitEffects(2);
        bench.sendNow(spring("p0", 0, longAgo));
        // Old as well, but its ledger row exists.
        bench.sendNow(spring("p1", 1, longAgo));
        // SmallRye has no header with the time it was sent; it was sent before the dead letter was written.
        ProducerRecord<byte[], byte[]> untimed = smallrye("untimed", 7);
        bench.sendNow(
                new ProducerRecord<>(deadTopic, null, longAgo, untimed.key(), untimed.value(), untimed.headers()));
        bench.sendNow(spring("young", 9));

        KafkaDeadLetters.Report report = adopt(inbox);
        assertThat(report.read()).isEqualTo(4);
        assertThat(report.parked()).isEqualTo(1);
        assertThat(report.known()).isEqualTo(1);
        assertThat(report.refused()).isEqualTo(2);
        assertThat(report.words())
                .hasSize(2)
                .allSatisfy(words -> assertThat(words).contains("retention.ledger", "repeats its effect", "WARN"));
        assertThat(find(inbox, "young").status()).isEqualTo(Status.PARKED);
        assertThat(bench.count("idembox_entry")).isEqualTo(1);
        // Refused records leave nothing behind: a redelivery of p0 is still a new message.
        assertThat(inbox.admin().find("billing", new MessageId("/payments", "p0")))
                .isEmpty();
        assertThat(adopt(inbox).refused()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = RetentionCheck.class,
            names = {"WARN", "OFF"})
    void oldDeadLetterIsParkedWhenThatWasChosen(RetentionCheck check) {
        bench.sendNow(spring("old", 0, longAgo));
        bench.sendNow(spring("young", 1));
        Inbox inbox = reads(SHORT_RETENTION);
        try (Overheard log = new Overheard()) {
            KafkaDeadLetters.Report report = KafkaDeadLetters.topic(bench.config(), deadTopic)
                    .retention(check)
                    .adoptInto(inbox.admin(), "billing");
            assertThat(report).isEqualTo(new KafkaDeadLetters.Report(2, 2, 0, 0, 0, 0, 0, List.of()));
            assertThat(log.text().contains("1 of the parked records of " + deadTopic + " were sent longer ago"))
                    .isEqualTo(check == RetentionCheck.WARN);
        }
    }

    @Test
    void recordWithoutOriginIsReported() {
        bench.sendNow(dead("nothing"));
        ProducerRecord<byte[], byte[]> odd = dead("odd");
        header(odd, "kafka_dlt-original-topic", bench.topic);
        header(odd, "kafka_dlt-original-partition", "1");
        header(odd, "kafka_dlt-original-offset", "7");
        bench.sendNow(odd);
        ProducerRecord<byte[], byte[]> half = dead("half");
        header(half, "dead-letter-topic", bench.topic);
        header(half, "dead-letter-partition", "0");
        bench.sendNow(half);
        ProducerRecord<byte[], byte[]> nowhere = dead("nowhere");
        header(nowhere, "dead-letter-topic", bench.topic);
        header(nowhere, "dead-letter-partition", "0");
        header(nowhere, "dead-letter-offset", "-7");
        bench.sendNow(nowhere);
        bench.sendNow(smallrye("fine", 1));
        Inbox inbox = reads();
        KafkaDeadLetters.Report report = adopt(inbox);
        assertThat(report.read()).isEqualTo(5);
        assertThat(report.parked()).isEqualTo(1);
        assertThat(report.withoutOrigin()).isEqualTo(4);
        assertThat(report.words())
                .hasSize(4)
                .allSatisfy(words -> assertThat(words).startsWith(deadTopic + "-"))
                .anySatisfy(words -> assertThat(words).contains("neither kafka_dlt-original-topic"))
                .anySatisfy(words -> assertThat(words).contains("kafka_dlt-original-partition is not a number"))
                .anySatisfy(words -> assertThat(words).contains("dead-letter-offset is missing"))
                .anySatisfy(words -> assertThat(words).contains("offset -7"));
        assertThat(bench.count("idembox_entry")).isEqualTo(1);
    }

    @Test
    void aTopicOfSeveralGroupsIsImportedForOneOfThem() {
        bench.sendNow(spring("ours", 1));
        ProducerRecord<byte[], byte[]> theirs = spring("theirs", 2);
        theirs.headers().remove("kafka_dlt-original-consumer-group");
        header(theirs, "kafka_dlt-original-consumer-group", "shipping");
        bench.sendNow(theirs);
        Inbox inbox = reads();
        KafkaDeadLetters.Report report = KafkaDeadLetters.topic(bench.config(), deadTopic)
                .ofGroup("old-billing")
                .adoptInto(inbox.admin(), "billing");
        assertThat(report.parked()).isEqualTo(1);
        assertThat(report.otherGroups()).isEqualTo(1);
        assertThat(find(inbox, "ours").status()).isEqualTo(Status.PARKED);
    }

    @Test
    void importsManyRecordsInBatches() {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int n = 0; n < 1_201; n++) {
            sent.add(bench.send(spring("m" + n, n)));
        }
        sent.forEach(KafkaBench::get);
        Inbox inbox = reads();
        assertThat(adopt(inbox).parked()).isEqualTo(1_201);
        assertThat(adopt(inbox).known()).isEqualTo(1_201);
        assertThat(bench.count("idembox_entry")).isEqualTo(1_201);
    }

    @Test
    void missingTopicIsRefused() {
        Inbox inbox = reads();
        assertThatThrownBy(() ->
                        KafkaDeadLetters.topic(bench.config(), "no-such-topic").adoptInto(inbox.admin(), "billing"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no topic no-such-topic");
    }
}
