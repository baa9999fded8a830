// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Records of a topic have their effects once, in both modes. */
class KafkaSourceDbTest {

    private final KafkaBench bench = new KafkaBench(3);

    @AfterEach
    void close() {
        bench.close();
    }

    private Inbox reads(ConsumerPolicy policy) {
        Inbox inbox = bench.inbox();
        inbox.subscribe("billing")
                .policy(policy)
                .from(KafkaSource.topics(bench.config(), bench.topic).firstStart(FirstStart.EARLIEST))
                .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                .start();
        return inbox;
    }

    private static ConsumerPolicy in(Mode mode) {
        return ConsumerPolicy.defaults().mode(mode);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void everyRecordHasItsEffectOnceAlthoughSomeComeTwice(Mode mode) {
        bench.sendPaid(0, 500, 50);
        bench.sendPaid(100, 300, 50);
        reads(in(mode));
        bench.awaitEffects(500);
        bench.sendPaid(400, 600, 50);
        bench.awaitEffects(600);
        assertThat(bench.list("select id from effect group by id having count(*) > 1"))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void theOrderOfAKeyIsKept(Mode mode) {
        bench.sendPaid(0, 1_000, 7);
        reads(in(mode).ordering(Ordering.HOLD));
        bench.awaitEffects(1_000);
        for (int key = 0; key < 7; key++) {
            List<String> ids = bench.list("select id from effect where key = 'k" + key + "' order by number");
            assertThat(ids)
                    .isSortedAccordingTo((a, b) ->
                            Integer.compare(Integer.parseInt(a.substring(1)), Integer.parseInt(b.substring(1))));
        }
    }

    @Test
    void offsetIsCommittedAfterTheDatabase() {
        bench.sendPaid(0, 30, 10);
        reads(in(Mode.DIRECT));
        bench.awaitEffects(30);
        bench.awaitCommitted("billing", 30);
        assertThat(bench.list("select sum(next_offset) from idembox_partition")).containsExactly("30");
        assertThat(bench.list("select distinct length(incarnation) from idembox_partition"))
                .containsExactly("22");
    }

    @Test
    void endOfATransactionIsSkipped() {
        bench.sendPaid(0, 3, 1);
        bench.sendAborted(bench.paid("aborted", "k0"));
        reads(in(Mode.DIRECT));
        bench.awaitEffects(3);
        // Three records, one aborted record, and the abort marker.
        bench.awaitCommitted("billing", 5);
        assertThat(bench.list("select sum(next_offset) from idembox_partition")).containsExactly("5");
        assertThat(bench.count("effect")).isEqualTo(3);
    }

    static List<Map<String, Object>> memberships() {
        return List.of(
                Map.of("group.instance.id", "one", "session.timeout.ms", "6000"),
                Map.of("group.protocol", "consumer"),
                Map.of("partition.assignment.strategy", "org.apache.kafka.clients.consumer.RangeAssignor"));
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("memberships")
    void everyKindOfMembershipWorks(Map<String, Object> membership) {
        Map<String, Object> config = new HashMap<>(membership);
        config.put("bootstrap.servers", bench.server.bootstrap());
        bench.sendPaid(0, 30, 10);
        for (int start = 1; start <= 2; start++) {
            Inbox inbox = bench.inbox();
            inbox.subscribe("billing")
                    .from(KafkaSource.topics(config, bench.topic).firstStart(FirstStart.EARLIEST))
                    .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                    .start();
            bench.awaitEffects(30 * start);
            bench.awaitCommitted("billing", 30L * start);
            inbox.close();
            bench.sendPaid(30 * start, 30 * start + 30, 10);
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource(Mode.class)
    void restartContinuesWhereItStopped(Mode mode) {
        bench.sendPaid(0, 50, 10);
        Inbox first = reads(in(mode));
        bench.awaitEffects(50);
        bench.awaitCommitted("billing", 50);
        first.close();
        bench.events.clear();
        bench.sendPaid(50, 60, 10);
        reads(in(mode));
        bench.awaitEffects(60);
        bench.awaitCommitted("billing", 60);
        assertThat(bench.count("effect")).isEqualTo(60);
        // It received the ten new records and nothing else.
        assertThat(answers())
                .doesNotContain(Receipt.Kind.DUPLICATE)
                .filteredOn(kind -> kind == (mode == Mode.DIRECT ? Receipt.Kind.COMPLETED : Receipt.Kind.STORED))
                .hasSize(10);
    }

    private List<Receipt.Kind> answers() {
        return bench.events.stream()
                .filter(InboxEvent.Received.class::isInstance)
                .map(event -> ((InboxEvent.Received) event).receipt().kind())
                .toList();
    }

    @Test
    void aRecordArrivesAsItWasSent() {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(bench.topic, 1, 1_700_000_000_000L, new byte[] {(byte) 0xff, 0}, null, List.of());
        record.headers().add("ce_id", KafkaBench.bytes("t1"));
        record.headers().add("ce_source", KafkaBench.bytes("/payments"));
        record.headers().add("ce_type", KafkaBench.bytes("Paid"));
        record.headers().add("binary", new byte[] {0, (byte) 0x80, 7});
        record.headers().add("empty", (byte[]) null);
        record.headers().add("event-version", KafkaBench.bytes("2"));
        bench.sendNow(record);
        List<Message> messages = new CopyOnWriteArrayList<>();
        Inbox inbox = bench.inbox();
        inbox.subscribe("billing")
                .from(KafkaSource.topics(bench.config(Map.of("auto.offset.reset", "earliest")), bench.topic))
                .on("Paid", 2, Message.class, (message, ctx) -> messages.add(message))
                .start();
        KafkaBench.await("message", () -> !messages.isEmpty());
        Message message = messages.get(0);
        assertThat(message.payload().isTombstone()).isTrue();
        assertThat(message.key()).contains("base64:/wA=");
        assertThat(message.time().orElseThrow().toEpochMilli()).isEqualTo(1_700_000_000_000L);
        assertThat(message.position().orElseThrow()).hasToString(bench.topic + "/1@0");
        assertThat(message.headers().all().stream()
                        .filter(header -> header.name().equals("binary"))
                        .findFirst()
                        .orElseThrow()
                        .value())
                .containsExactly(0, 0x80, 7);
    }
}
