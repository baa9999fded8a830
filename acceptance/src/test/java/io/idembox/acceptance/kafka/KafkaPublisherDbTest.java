// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static io.idembox.acceptance.kafka.Published.allConfirmed;
import static io.idembox.acceptance.kafka.Published.causeOf;
import static io.idembox.acceptance.kafka.Published.idsIn;
import static io.idembox.acceptance.kafka.Published.kinds;
import static io.idembox.acceptance.kafka.Published.messages;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.EventType;
import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Status;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaDeadLetters;
import io.idembox.kafka.KafkaPublisher;
import io.idembox.kafka.KafkaSource;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.PublishResult;
import io.idembox.spi.PublishResult.Confirmed;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Publishes to a real broker: every confirmed message is in the topic, and no other message is reported as confirmed.
 */
class KafkaPublisherDbTest {

    private final KafkaBench bench = new KafkaBench(3);
    private final List<KafkaPublisher> publishers = new ArrayList<>();

    @AfterEach
    void close() {
        publishers.forEach(KafkaPublisher::close);
        bench.close();
    }

    private KafkaPublisher publisher(Map<String, Object> more) {
        Map<String, Object> config = new HashMap<>(more);
        config.put("bootstrap.servers", bench.server.bootstrap());
        KafkaPublisher publisher = KafkaPublisher.on(config);
        publishers.add(publisher);
        return publisher;
    }

    private String topic(String suffix, int partitions, Map<String, String> configs) {
        String name = bench.topic + "-" + suffix;
        bench.createTopic(name, partitions, configs);
        return name;
    }

    private List<Message> in(String topic) {
        return Published.in(bench.server.bootstrap(), topic);
    }

    @Test
    void publishedMessageIsReadAtTheConfirmedPosition() throws InterruptedException {
        Headers headers = Headers.of(List.of(
                Headers.Header.of("tenant", "blue"),
                Headers.Header.of("tenant", "red"),
                Headers.Header.of("raw", new byte[] {0, -1})));
        List<Message> sent = new ArrayList<>(messages("m", 20));
        sent.add(Message.of("v3", "Paid", Payload.of(new byte[] {1, 2}, "application/avro"))
                .from("/payments")
                .typed("Paid", 3)
                .keyed("base64:AAAAAAAAAAc=")
                .headers(headers)
                .sentAt(Instant.parse("2026-03-01T10:00:00.123Z")));
        sent.add(Message.of("gone", "Deleted", Payload.tombstone())
                .from("/payments")
                .keyed("gone"));
        sent.add(Message.of("nobody", "Paid", "{}").from("/payments"));

        List<PublishResult> results = publisher(Map.of()).publish(bench.topic, sent);

        allConfirmed(results);
        Map<String, Message> read = new HashMap<>();
        in(bench.topic)
                .forEach(message -> read.put(
                        message.position()
                                .map(at -> at.channel() + "-" + at.partition() + "@" + at.offset())
                                .orElseThrow(),
                        message));
        assertThat(read).hasSize(sent.size());
        for (int i = 0; i < sent.size(); i++) {
            Message there = read.get(((Confirmed) results.get(i)).where());
            Message message = sent.get(i);
            assertThat(Published.identity(there))
                    .isEqualTo(new MessageId("/payments", message.id().orElseThrow()));
            assertThat(there.key()).isEqualTo(message.key());
            assertThat(there.type()).isEqualTo(message.type());
            assertThat(there.payload()).isEqualTo(message.payload());
            assertThat(there.headers().all()).containsAll(message.headers().all());
            message.time().ifPresent(time -> assertThat(there.time()).contains(time));
        }
        assertThat(read.values())
                .anySatisfy(message -> assertThat(message.type()).isEqualTo(new EventType("Paid", 3)));
    }

    @Test
    void messagePublishedTwiceHasOneEffect() throws InterruptedException {
        Inbox inbox = bench.inbox();
        inbox.subscribe("billing")
                .from(KafkaSource.topics(bench.config(), bench.topic).firstStart(FirstStart.EARLIEST))
                .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                .start();
        KafkaPublisher publisher = publisher(Map.of());
        allConfirmed(publisher.publish(bench.topic, messages("m", 30)));
        allConfirmed(publisher.publish(bench.topic, messages("m", 30)));
        allConfirmed(publisher.publish(bench.topic, messages("end", 1)));
        bench.awaitEffects(31);
        bench.awaitCommitted("billing", 61);
        assertThat(bench.count("effect")).isEqualTo(31);
    }

    @Test
    void aTopicMayHaveAnotherNameThanItsDestination() throws InterruptedException {
        KafkaPublisher publisher = publisher(Map.of()).topic("receipts", bench.topic);
        publishers.add(publisher);
        assertThat(((Confirmed) publisher.publish("receipts", messages("m", 1)).get(0)).where())
                .startsWith(bench.topic + "-");
        assertThat(idsIn(bench.server.bootstrap(), bench.topic)).containsExactly("m0");
    }

    private static Message large(String id, int size) {
        return Message.of(id, "Paid", Payload.of(new byte[size], Payload.BINARY))
                .from("/payments")
                .keyed(id);
    }

    @Test
    void recordTooLargeForTheProducerIsRefusedAlone() throws InterruptedException {
        List<Message> some = new ArrayList<>(messages("m", 20));
        some.add(10, large("large", 2_000_000));
        List<PublishResult> results = publisher(Map.of()).publish(bench.topic, some);
        assertThat(causeOf(results.get(10))).isInstanceOf(RecordTooLargeException.class);
        assertThat(results.get(10)).isInstanceOf(PublishResult.Refused.class);
        assertThat(kinds(results)).filteredOn("Confirmed"::equals).hasSize(20);
        assertThat(idsIn(bench.server.bootstrap(), bench.topic)).hasSize(20).doesNotContain("large");
    }

    @Test
    void recordTooLargeForTheTopicIsRefusedAlone() throws InterruptedException {
        String small = topic("small", 1, Map.of("max.message.bytes", "3000"));
        List<Message> some = new ArrayList<>(messages("m", 20));
        some.add(10, large("large", 5_000));
        List<PublishResult> results = publisher(Map.of("linger.ms", "20")).publish(small, some);
        assertThat(causeOf(results.get(10))).isInstanceOf(RecordTooLargeException.class);
        assertThat(results.get(10)).isInstanceOf(PublishResult.Refused.class);
        assertThat(kinds(results)).filteredOn("Confirmed"::equals).hasSize(20);
        assertThat(idsIn(bench.server.bootstrap(), small)).hasSize(20).doesNotContain("large");
    }

    @Test
    void recordWithoutKeyIsRefusedByACompactedTopicAndTheOthersAreRetried() throws InterruptedException {
        String compacted = topic("compacted", 1, Map.of("cleanup.policy", "compact"));
        List<Message> some = new ArrayList<>(messages("m", 10));
        some.add(5, Message.of("keyless", "Paid", "{}").from("/payments"));
        KafkaPublisher publisher = publisher(Map.of("linger.ms", "20"));
        List<PublishResult> results = publisher.publish(compacted, some);
        assertThat(results.get(5)).isInstanceOf(PublishResult.Refused.class);
        assertThat(causeOf(results.get(5))).isInstanceOf(InvalidRecordException.class);
        assertThat(kinds(results)).filteredOn("Refused"::equals).hasSize(1);

        // Kafka accepts a batch as a whole or not at all.
        List<Message> again = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            if (results.get(i) instanceof PublishResult.Failed) {
                again.add(some.get(i));
            }
        }
        assertThat(again).isNotEmpty();
        allConfirmed(publisher.publish(compacted, again));
        assertThat(idsIn(bench.server.bootstrap(), compacted))
                .containsExactlyInAnyOrderElementsOf(messages("m", 10).stream()
                        .map(message -> message.id().orElseThrow())
                        .toList());
    }

    @Test
    void messageTimeDoesNotAffectTopicRetention() throws InterruptedException {
        String strict = topic(
                "strict",
                1,
                Map.of("message.timestamp.after.max.ms", "3600000", "message.timestamp.before.max.ms", "3600000"));
        Message message = messages("m", 1).get(0);
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        List<Instant> times = List.of(now.plus(Duration.ofDays(1)), now.minus(Duration.ofDays(1)));
        KafkaPublisher publisher = publisher(Map.of());

        for (Instant time : times) {
            allConfirmed(publisher.publish(strict, List.of(message.sentAt(time))));
        }

        assertThat(in(strict)).extracting(there -> there.time().orElseThrow()).isEqualTo(times);
    }

    @Test
    void missingTopicIsWaitedForOncePerCall() throws InterruptedException {
        KafkaPublisher publisher = publisher(Map.of("max.block.ms", "1000"));
        String late = bench.topic + "-late";
        long began = System.nanoTime();
        List<PublishResult> results = publisher.publish(late, messages("m", 50));
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
        assertThat(results).hasSize(50).allMatch(PublishResult.Failed.class::isInstance);
        assertThat(KafkaBench.get(bench.admin.listTopics().names())).doesNotContain(late);

        topic("late", 1, Map.of());
        KafkaBench.await("confirmation", () -> confirmed(publisher, late, messages("m", 50)));
        assertThat(idsIn(bench.server.bootstrap(), late)).contains("m0", "m49");
    }

    private static boolean confirmed(KafkaPublisher publisher, String topic, List<Message> some) {
        try {
            return publisher.publish(topic, some).stream().allMatch(Confirmed.class::isInstance);
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }

    @Test
    void invalidTopicNameFailsUntilATopicIsConfigured() throws InterruptedException {
        List<PublishResult> results = publisher(Map.of()).publish("receipts/eu", messages("m", 3));
        assertThat(results).hasSize(3).allMatch(PublishResult.Failed.class::isInstance);
        assertThat(causeOf(results.get(0))).isInstanceOf(InvalidTopicException.class);
    }

    @Test
    void threadsShareThePublisher() throws Exception {
        KafkaPublisher publisher = publisher(Map.of());
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<List<PublishResult>>> calls = new ArrayList<>();
            for (int call = 0; call < 40; call++) {
                List<Message> some = messages("c" + call + "-", 50);
                calls.add(() -> publisher.publish(bench.topic, some));
            }
            for (Future<List<PublishResult>> done : threads.invokeAll(calls)) {
                assertThat(done.get()).hasSize(50);
                allConfirmed(done.get());
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(idsIn(bench.server.bootstrap(), bench.topic)).hasSize(2_000).doesNotHaveDuplicates();
    }

    @Test
    void publishedDeadLetterIsImportedUnderItsIdentity() throws InterruptedException {
        String dead = topic("dlt", 1, Map.of());
        bench.sendNow(bench.paid("p0", "k"));
        Message original = in(bench.topic).get(0);
        allConfirmed(publisher(Map.of())
                .publish(
                        dead,
                        List.of(original.header("idembox-dead-channel", bench.topic)
                                .header(
                                        "idembox-dead-partition",
                                        String.valueOf(original.position()
                                                .orElseThrow()
                                                .partition()))
                                .header("idembox-dead-offset", "0")
                                .header("idembox-dead-consumer", "billing")
                                .header("idembox-dead-error-class", "com.example.BankClosed")
                                .header("idembox-dead-error", "the bank is closed"))));

        Inbox inbox = Inbox.on(bench.dataSource)
                .createSchema()
                .consumer("billing", ConsumerPolicy.defaults())
                .start();
        try (inbox) {
            KafkaDeadLetters letters =
                    KafkaDeadLetters.topic(bench.config(), dead).ofGroup("billing");
            assertThat(letters.adoptInto(inbox.admin(), "billing").parked()).isEqualTo(1);
            assertThat(letters.adoptInto(inbox.admin(), "billing").known()).isEqualTo(1);
            InboxMessage parked = inbox.admin()
                    .find("billing", new MessageId("/payments", "p0"))
                    .orElseThrow();
            assertThat(parked.status()).isEqualTo(Status.PARKED);
            assertThat(parked.failure().errorClass()).isEqualTo("com.example.BankClosed");
            assertThat(parked.failure().message()).isEqualTo("the bank is closed");
        }
    }
}
