// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.acceptance.Overheard;
import io.idembox.event.InboxEvent;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.kafka.OnDataLoss;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Limits;
import io.idembox.policy.Mode;
import io.idembox.policy.Retention;
import io.idembox.testkit.kafka.KafkaServer;
import io.idembox.testkit.postgres.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Malformed records and unavailable servers: the error is reported, reading continues or stops, and no message is lost.
 */
class KafkaBadInputDbTest {

    private static final String LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required";

    @TempDir
    Path directory;

    private interface Handler {
        void handle(Message message, HandlerContext context) throws Exception;
    }

    private static Inbox reads(KafkaBench bench, ConsumerPolicy policy, KafkaSource source) {
        return reads(bench, "billing", policy, source, (message, context) -> KafkaBench.effect(context));
    }

    private static Inbox reads(
            KafkaBench bench, String consumer, ConsumerPolicy policy, KafkaSource source, Handler handler) {
        Inbox inbox = bench.inbox();
        inbox.subscribe(consumer)
                .policy(policy)
                .from(source)
                .on("Paid", Message.class, handler::handle)
                .start();
        return inbox;
    }

    private static KafkaSource source(KafkaBench bench) {
        return KafkaSource.topics(bench.config(), bench.topic).firstStart(FirstStart.EARLIEST);
    }

    private static ConsumerPolicy in(Mode mode) {
        return ConsumerPolicy.defaults().mode(mode);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aRecordWithoutKeyAndValueIsHandledOrParkedAndTheNextOneComes(Mode mode) {
        try (KafkaBench bench = new KafkaBench(1)) {
            bench.sendNow(new ProducerRecord<>(bench.topic, 0, null, null));
            ProducerRecord<byte[], byte[]> tombstone = new ProducerRecord<>(bench.topic, 0, null, null);
            bench.paid("t", null).headers().forEach(tombstone.headers()::add);
            bench.sendNow(tombstone);
            bench.sendNow(bench.paid("next", null));
            List<Message> handled = new CopyOnWriteArrayList<>();
            reads(bench, "billing", in(mode), source(bench), (message, context) -> {
                KafkaBench.effect(context);
                handled.add(message);
            });
            bench.awaitEffects(2);
            assertThat(bench.list("select id from effect order by id")).containsExactly("next", "t");
            assertThat(handled)
                    .anyMatch(message ->
                            message.payload().isTombstone() && message.key().isEmpty());
            // It has no id, so it is parked for an operator.
            KafkaBench.await("parked record", () -> bench.count("idembox_entry") == 1);
            assertThat(bench.list("select state || ' ' || reason from idembox_entry"))
                    .containsExactly("PARKED NO_ID");
            KafkaBench.await("commit", () -> bench.committed("billing", 0) == 3);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void headersOfAMegabyteAndPayloadsOverTheLimitAreParkedWithAllTheirBytes(Mode mode) {
        try (KafkaBench bench = new KafkaBench(1)) {
            bench.deleteTopic();
            KafkaBench.await("end of the topic", () -> !bench.hasTopic());
            bench.createTopic(1, Map.of("max.message.bytes", "8000000"));
            ProducerRecord<byte[], byte[]> headers = bench.paid("headers", "k");
            headers.headers().add("large", new byte[1024 * 1024]);
            bench.sendNow(headers);
            ProducerRecord<byte[], byte[]> fits = bench.paid("fits", "k");
            fits.headers().add("large", new byte[1024 * 1024 - 1_000]);
            bench.sendNow(fits);
            ProducerRecord<byte[], byte[]> payload =
                    new ProducerRecord<>(bench.topic, 0, KafkaBench.bytes("k"), new byte[20_001]);
            bench.paid("payload", "k").headers().forEach(payload.headers()::add);
            bench.sendNow(payload);
            bench.sendNow(bench.paid("next", "k"));
            reads(bench, in(mode).limits(new Limits(20_000, 100, 1024 * 1024)), source(bench));
            bench.awaitEffects(2);
            assertThat(bench.list("select id from effect order by id")).containsExactly("fits", "next");
            KafkaBench.await("parked records", () -> bench.count("idembox_entry") == 2);
            assertThat(bench.list("select distinct state || ' ' || reason from idembox_entry"))
                    .containsExactly("PARKED OVER_LIMIT");
            assertThat(bench.list("select message_id || ' ' || error from idembox_inbox where status = 'PARKED'"
                            + " order by arrival"))
                    .satisfiesExactly(
                            first -> assertThat(first).startsWith("headers").contains("limits.header-bytes is 1048576"),
                            second ->
                                    assertThat(second).startsWith("payload").contains("limits.payload-bytes is 20000"));
            assertThat(bench.list("select max(octet_length(payload)) || ' ' || (max(octet_length(headers)) > 1048576)"
                            + " from idembox_body"))
                    .containsExactly("20001 true");
            KafkaBench.await("commit", () -> bench.committed("billing", 0) == 4);
        }
    }

    @ParameterizedTest
    @EnumSource(OnDataLoss.class)
    void aTopicThatIsDeletedWhileItIsReadStopsOrGoesOnAsChosen(OnDataLoss onDataLoss) {
        try (KafkaBench bench = new KafkaBench(1)) {
            bench.sendPaid(0, 5, 2);
            List<String> handled = new CopyOnWriteArrayList<>();
            reads(
                    bench,
                    "billing",
                    ConsumerPolicy.defaults(),
                    source(bench).onDataLoss(onDataLoss),
                    (message, context) -> handled.add(context.id().id()));
            KafkaBench.await("first records", () -> handled.size() == 5);
            KafkaBench.await("commit", () -> bench.committed("billing", 0) == 5);
            String before =
                    bench.list("select incarnation from idembox_partition").get(0);
            String token = bench.list("select token from idembox_partition").get(0);
            bench.deleteTopic();
            KafkaBench.await("end of the topic", () -> !bench.hasTopic());
            bench.createTopic(1, Map.of());
            bench.sendPaid(5, 8, 2);
            if (onDataLoss == OnDataLoss.GO_ON) {
                KafkaBench.await("new records", () -> handled.size() == 8, handled::toString);
                assertThat(bench.list("select incarnation from idembox_partition"))
                        .doesNotContain(before);
                return;
            }
            KafkaBench.await(
                    "look at the new topic",
                    () -> !bench.list("select token from idembox_partition where consumer_id ="
                                    + " (select consumer_id from idembox_consumer where name = 'billing')")
                            .contains(token));
            // Another consumer reads the new topic completely; billing, which had read the old one, has not read it.
            List<String> others = new CopyOnWriteArrayList<>();
            reads(
                    bench,
                    "shipping",
                    ConsumerPolicy.defaults(),
                    source(bench),
                    (message, context) -> others.add(context.id().id()));
            KafkaBench.await("another reader", () -> others.size() == 3);
            assertThat(handled).hasSize(5);
            assertThat(bench.list("select incarnation from idembox_partition where consumer_id ="
                            + " (select consumer_id from idembox_consumer where name = 'billing')"))
                    .containsExactly(before);
        }
    }

    @Test
    void missingTopicDoesNotBlockTheOthers() {
        try (KafkaBench bench = new KafkaBench(1)) {
            bench.sendPaid(0, 3, 2);
            String late = bench.topic + "-late";
            reads(
                    bench,
                    ConsumerPolicy.defaults(),
                    KafkaSource.topics(bench.config(Map.of("metadata.max.age.ms", "500")), bench.topic, late)
                            .firstStart(FirstStart.EARLIEST));
            bench.awaitEffects(3);
            bench.createTopic(late, 1, Map.of());
            ProducerRecord<byte[], byte[]> paid = bench.paid("late", "k");
            bench.sendNow(new ProducerRecord<>(late, null, paid.key(), paid.value(), paid.headers()));
            bench.awaitEffects(4);
        }
    }

    @Test
    @Tag("slow")
    void waitsForABrokerThatIsDownAtTheStart() {
        try (KafkaServer server = KafkaServer.start(directory);
                KafkaBench bench = new KafkaBench(server, 2)) {
            bench.sendPaid(0, 10, 3);
            server.kill();
            Inbox inbox = reads(bench, ConsumerPolicy.defaults(), source(bench));
            assertThat(inbox.admin().lag("billing").brokers().get(0).error()).contains("did not answer");
            server.restart();
            bench.awaitEffects(10);
            server.kill();
            server.restart();
            bench.sendPaid(10, 20, 3);
            bench.awaitEffects(20);
            assertThat(bench.count("effect")).isEqualTo(20);
        }
    }

    @Test
    @Tag("slow")
    void wrongCredentialsAreRefusedAtTheStartAndRightOnesRead() {
        try (KafkaServer server = KafkaServer.builder()
                        .directory(directory)
                        .login("anna", "right")
                        .start();
                KafkaBench bench = new KafkaBench(server, 1)) {
            bench.sendPaid(0, 3, 2);
            assertThatThrownBy(() -> reads(bench, ConsumerPolicy.defaults(), guarded(server, bench, "wrong", Map.of())))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("Consumer billing")
                    .hasMessageContaining("credentials were refused")
                    .hasMessageContaining("Fix the security settings")
                    .hasMessageNotContaining("wrong");
            assertThat(bench.count("effect")).isZero();
            reads(bench, ConsumerPolicy.defaults(), guarded(server, bench, "right", Map.of()));
            bench.awaitEffects(3);
        }
    }

    /** The client of the new protocol does not recover from this error by itself. */
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"classic", "consumer"})
    void readsAfterAccessToTheGroupIsGranted(String protocol) {
        try (KafkaServer server = KafkaServer.builder()
                        .directory(directory)
                        .login("anna", "right")
                        .setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                        .setting("super.users", "User:ANONYMOUS")
                        .start();
                KafkaBench bench = new KafkaBench(server, 1)) {
            bench.sendPaid(0, 3, 2);
            allow(bench, ResourceType.TOPIC, bench.topic, AclOperation.READ);
            allow(bench, ResourceType.GROUP, "billing", AclOperation.DESCRIBE);
            Map<String, String> group = protocol.equals("classic") ? Map.of() : Map.of("group.protocol", protocol);
            // The retention of the topic is not visible either: that is logged and does not prevent reading.
            try (Overheard log = new Overheard()) {
                ConsumerPolicy policy = ConsumerPolicy.defaults().retention(Retention.of(Duration.ofDays(30)));
                reads(bench, policy, guarded(server, bench, "right", group));
                KafkaBench.await("refusal", () -> log.text().contains("Kafka refused access; fix the credentials"));
                assertThat(log.text()).contains("Allow DescribeConfigs on these topics");
            }
            assertThat(bench.count("effect")).isZero();
            allow(bench, ResourceType.GROUP, "billing", AclOperation.READ);
            bench.awaitEffects(3);
        }
    }

    private static void allow(KafkaBench bench, ResourceType type, String name, AclOperation what) {
        KafkaBench.get(bench.admin
                .createAcls(List.of(new AclBinding(
                        new ResourcePattern(type, name, PatternType.LITERAL),
                        new AccessControlEntry("User:anna", "*", what, AclPermissionType.ALLOW))))
                .all());
    }

    private static KafkaSource guarded(
            KafkaServer server, KafkaBench bench, String password, Map<String, String> more) {
        Map<String, Object> config = new HashMap<>(more);
        config.put("bootstrap.servers", server.bootstrapForLogin());
        config.put("security.protocol", "SASL_PLAINTEXT");
        config.put("sasl.mechanism", "PLAIN");
        config.put("sasl.jaas.config", LOGIN + " username=\"anna\" password=\"" + password + "\";");
        return KafkaSource.topics(config, bench.topic).firstStart(FirstStart.EARLIEST);
    }

    @Test
    void aDatabaseThatIsDownCostsNothing() {
        downFor(Duration.ZERO);
    }

    @Test
    @Tag("slow")
    void databaseOutageLosesNothing() {
        downFor(Duration.ofSeconds(30));
    }

    /** Not less than that, and until the consumers have noticed. */
    private static void downFor(Duration atLeast) {
        try (PostgresServer postgres = PostgresServer.start();
                KafkaBench bench = new KafkaBench(KafkaBench.shared(), postgres, 2)) {
            bench.sendPaid(0, 50, 7);
            for (Mode mode : Mode.values()) {
                reads(bench, mode.name(), in(mode), source(bench), (message, context) -> KafkaBench.effect(context));
            }
            bench.awaitEffects(100);
            postgres.kill();
            long end = System.nanoTime() + atLeast.toNanos();
            bench.sendPaid(50, 150, 7);
            KafkaBench.await(
                    "pause",
                    () -> isTold(
                            bench,
                            InboxEvent.Paused.class,
                            paused -> paused.cause().equals("STORE_DOWN")));
            KafkaBench.await("end of the outage", () -> System.nanoTime() - end >= 0);
            postgres.restart();
            bench.awaitEffects(300);
            assertThat(bench.list("select id from effect group by id having count(*) <> 2"))
                    .isEmpty();
            KafkaBench.await("end of the pause", () -> isTold(bench, InboxEvent.Resumed.class, resumed -> true));
            for (Mode mode : Mode.values()) {
                bench.awaitCommitted(mode.name(), 150);
            }
            assertThat(bench.count("idembox_entry")).isZero();
        }
    }

    private static <T extends InboxEvent> boolean isTold(KafkaBench bench, Class<T> kind, Predicate<T> wanted) {
        return bench.events.stream().filter(kind::isInstance).map(kind::cast).anyMatch(wanted);
    }
}
