// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.idembox.HandlerException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.guarantee.HandledOnce;
import io.idembox.testkit.guarantee.InOrderPerKey;
import io.idembox.testkit.guarantee.NothingLost;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The harness in ordinary tests of users. */
class InboxHarnessDbTest {

    private DataSource database;
    private Ledger ledger;

    @BeforeEach
    void start() throws SQLException {
        database = PostgresServer.shared().freshDatabase().dataSource();
        ledger = new Ledger(database);
    }

    private InboxHarness harness(InboxHandler handler) {
        return InboxHarness.on(database).consumer("billing").handler(handler).start();
    }

    @Test
    void twoDeliveriesHaveOneEffect() {
        try (InboxHarness inbox = harness(Ledger::charge)) {
            Message placed = CrashWindowsSamples.placed("evt-456");

            List<Receipt> receipts = inbox.deliverTwice(placed);

            assertThat(receipts)
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.DUPLICATE);
            assertThat(ledger.charges()).containsExactly("evt-456");
            assertThat(inbox.duplicates()).containsExactly(placed);
            assertThat(inbox.acknowledged()).containsExactly(placed);
            assertThat(inbox.unacknowledged()).isEmpty();
            assertThat(inbox.sent()).containsExactly(placed);
            assertThat(inbox.dataSource()).isSameAs(database);
        }
    }

    @Test
    void unacknowledgedMessagesStayAtTheBroker() {
        AtomicInteger calls = new AtomicInteger();
        InboxHandler failsTwice = context -> {
            Ledger.charge(context);
            if (calls.incrementAndGet() <= 2) {
                throw new IllegalStateException("not yet");
            }
        };
        try (InboxHarness inbox = harness(failsTwice)) {
            Instant before = inbox.clock().instant();

            List<Receipt> first = inbox.deliver(CrashWindowsSamples.placed("1"));
            assertThat(first).extracting(Receipt::kind).containsExactly(Receipt.Kind.FAILED);
            assertThat(inbox.unacknowledged()).hasSize(1);

            assertThat(inbox.redeliver()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
            assertThat(inbox.unacknowledged()).isEmpty();
            assertThat(inbox.redeliver()).isEmpty();
            assertThat(inbox.clock().instant()).isAfter(before);
            assertThat(ledger.charges()).containsExactly("1");
        }
    }

    @Test
    void redeliveryIsBounded() {
        InboxHarness.Builder described = InboxHarness.on(database)
                .policy(ConsumerPolicy.defaults()
                        .retry(RetryPolicy.exponential(100, Duration.ofSeconds(1), Duration.ofSeconds(1))))
                .redeliveries(3)
                .handler(context -> {
                    throw HandlerException.retryAfter(Duration.ofHours(1), "never");
                });
        try (InboxHarness inbox = described.start()) {
            inbox.deliver(CrashWindowsSamples.placed("1"));

            assertThat(inbox.redeliver()).extracting(Receipt::kind).containsExactly(Receipt.Kind.FAILED);
            assertThat(inbox.unacknowledged()).hasSize(1);
        }
    }

    @Test
    void lateDuplicatesOfEverythingChangeNothing() {
        try (InboxHarness inbox = harness(Ledger::charge)) {
            inbox.deliver(CrashWindowsSamples.placed("1"), CrashWindowsSamples.placed("2"));
            inbox.deliver(CrashWindowsSamples.placed("3"));
            new NothingLost().check(inbox.history().effects(ledger.charges()).build());

            assertThat(inbox.redeliverEverything())
                    .extracting(Receipt::kind)
                    .containsOnly(Receipt.Kind.DUPLICATE)
                    .hasSize(3);

            new HandledOnce()
                    .and(new InOrderPerKey())
                    .check(inbox.history()
                            .effects(ledger.charges())
                            .afterLateDuplicates()
                            .build());
        }
    }

    @Test
    void handlersAreRegisteredAsTheApplicationDoes() {
        List<InboxEvent> events = new ArrayList<>();
        InboxHarness.Builder described = InboxHarness.on(database)
                .tablePrefix("shop_")
                .settings(settings -> settings.listener(events::add))
                .subscription(inbox -> inbox.subscribe("billing")
                        .on("OrderPlaced", String.class, (payload, context) -> Ledger.charge(context)));
        try (InboxHarness inbox = described.start()) {
            assertThat(inbox.deliver(CrashWindowsSamples.placed("1"), Message.of("2", "Unknown", "{}")))
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.FAILED);
            assertThat(inbox.unacknowledged()).isEmpty();
            assertThat(ledger.charges()).containsExactly("1");
            assertThat(events).isNotEmpty();
        }
    }

    @Test
    void aHarnessWithoutAHandlerIsRejected() {
        assertThatIllegalStateException()
                .isThrownBy(() -> InboxHarness.on(database).start())
                .withMessageContaining("handler(...)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> InboxHarness.on(database).redeliveries(0));
    }
}
