// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Status;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaDeadLetters;
import io.idembox.kafka.KafkaPublisher;
import io.idembox.kafka.KafkaSource;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.OutgoingPolicy;
import io.idembox.testkit.postgres.PostgresServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two services: one handles messages and sends others through its outbox and Kafka to the inbox of the other. */
class KafkaOutboxDbTest {

    private final KafkaBench billing = new KafkaBench(3);
    private final KafkaBench shipping =
            new KafkaBench(PostgresServer.shared().freshDatabase().dataSource(), 3);
    private final String deadTopic = billing.topic + "-dlt";

    @BeforeEach
    void createTopic() {
        billing.createTopic(deadTopic, 1, Map.of());
    }

    @AfterEach
    void close() {
        billing.close();
        shipping.close();
    }

    private Inbox billingService() {
        Inbox inbox = billing.configured(builder -> builder.outbox("paid-orders")
                .outbox("dead")
                .consumer(
                        "billing",
                        ConsumerPolicy.defaults()
                                .outgoing(OutgoingPolicy.defaults().deadLetters("dead"))));
        inbox.outbox()
                .relay(
                        KafkaPublisher.on(billing.config())
                                .topic("paid-orders", shipping.topic)
                                .topic("dead", deadTopic),
                        "paid-orders",
                        "dead");
        inbox.subscribe("billing")
                .from(KafkaSource.topics(billing.config(), billing.topic).firstStart(FirstStart.EARLIEST))
                .on("Paid", Message.class, (message, context) -> {
                    if (context.id().id().equals("p7")) {
                        throw HandlerException.park("this one is odd");
                    }
                    KafkaBench.effect(context);
                    context.outbox()
                            .send(
                                    "paid-orders",
                                    Message.of(context.effectKey("paid"), "OrderPaid", message.payload())
                                            .keyed(message.key().orElseThrow()));
                })
                .start();
        return inbox;
    }

    @Test
    void everyMessageHasOneEffectAtTheEndOfTheChainInTheOrderOfItsKey() {
        billingService();
        shipping.inbox()
                .subscribe("shipping")
                .from(KafkaSource.topics(shipping.config(), shipping.topic).firstStart(FirstStart.EARLIEST))
                .on(
                        "OrderPaid",
                        Message.class,
                        (message, context) -> KafkaBench.effect(
                                context, message.headers().text("causation-id").orElseThrow()))
                .start();

        billing.sendPaid(0, 300, 10);
        // Messages of the same key after the failed one are handled: this consumer keeps no order, so p17 is not held.
        shipping.awaitEffects(299);

        assertThat(billing.count("effect")).isEqualTo(299);
        assertThat(shipping.count("effect")).isEqualTo(299);
        for (int key = 0; key < 10; key++) {
            assertThat(shipping.list("select id from effect where key = 'k" + key + "' order by number"))
                    .isEqualTo(expected(key));
        }
    }

    private static List<String> expected(int key) {
        return java.util.stream.IntStream.range(0, 300)
                .filter(n -> n % 10 == key && n != 7)
                .mapToObj(n -> "p" + n)
                .toList();
    }

    @Test
    void terminalFailureIsPublishedAsDeadLetterAndCanBeImported() {
        billingService();
        billing.sendPaid(7, 8, 10);
        KafkaBench.await(
                "dead letter",
                () -> billing.count("idembox_inbox where consumer = 'outbox/dead' and status = 'COMPLETED'") == 1);

        // Another consumer imports the dead letters of that topic: each has the identity that it had when it failed.
        Inbox other = shipping.configured(builder -> builder.consumer("billing", ConsumerPolicy.defaults()));
        KafkaDeadLetters.Report report =
                KafkaDeadLetters.topic(billing.config(), deadTopic).adoptInto(other.admin(), "billing");

        assertThat(report.parked()).isEqualTo(1);
        InboxMessage delivery =
                other.admin().find("billing", new MessageId("/payments", "p7")).orElseThrow();
        assertThat(delivery.status()).isEqualTo(Status.PARKED);
        assertThat(other.admin().attempts(delivery).get(0).failure().message()).contains("this one is odd");
    }
}
