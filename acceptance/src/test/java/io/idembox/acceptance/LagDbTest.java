// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Position;
import io.idembox.admin.Count;
import io.idembox.admin.Filter;
import io.idembox.admin.Lag;
import io.idembox.admin.Status;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.spi.Backlog;
import io.idembox.spi.Source;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How far a consumer is behind: in the inbox, and at its brokers. */
class LagDbTest extends DatabaseTest {

    private static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .ordering(Ordering.SKIP_PARKED)
            .retry(RetryPolicy.exponential(2, Duration.ofMinutes(1), Duration.ofMinutes(1))
                    .by(RetryBy.INBOX));

    private final ManualClock clock = ManualClock.create();
    private final Instant start = clock.instant();

    private final InboxHandler handler = context -> {
        switch (context.id().id().charAt(0)) {
            case 'p' -> throw HandlerException.park("look at it");
            case 'f' -> throw new IllegalStateException("not now");
            default -> effect(context);
        }
    };

    private static Message keyed(String id, String key) {
        return message(id).keyed(key);
    }

    @Test
    void whatIsToBeHandledIsCountedAndTheOldestOfItSaysSinceWhen() {
        AdminBench bench = new AdminBench(database, clock, POLICY, handler);
        assertThat(bench.admin.lag("billing")).isEqualTo(new Lag("billing", new Count(0, true), null, List.of()));
        bench.node.store(keyed("done", "a"));
        bench.node.store(keyed("p", "b"));
        clock.advance(Duration.ofSeconds(1));
        bench.node.store(keyed("f", "c"));
        bench.node.work();
        clock.advance(Duration.ofSeconds(1));
        bench.node.store(keyed("waits", "c"), keyed("due", "d"));
        assertThat(bench.admin
                        .count(Filter.of("billing").status(Status.PARKED), 10)
                        .number())
                .isEqualTo(1);
        Lag lag = bench.admin.lag("billing");
        assertThat(lag.waiting()).isEqualTo(new Count(3, true));
        assertThat(lag.oldestIfAny()).contains(start.plusSeconds(1));
        assertThat(lag)
                .hasToString("billing: 3 waiting since " + start.plusSeconds(1) + "; no source open on this node");
        // Who works on a message has not handled it yet.
        bench.node.claim(1, 10);
        assertThat(bench.admin.find("billing", id("due")).orElseThrow().status())
                .isEqualTo(Status.IN_PROGRESS);
        assertThat(bench.admin.lag("billing").waiting()).isEqualTo(new Count(3, true));
    }

    @Test
    void itIsCountedUpToACap() {
        for (int thousand = 0; thousand < 10; thousand++) {
            int first = thousand * 1_000;
            inbox.store(
                    "billing",
                    IntStream.range(first, first + 1_000)
                            .mapToObj(n -> message("m" + n))
                            .toList());
        }
        assertThat(inbox.admin().lag("billing").waiting()).isEqualTo(new Count(10_000, true));
        inbox.store("billing", message("one more"));
        assertThat(inbox.admin().lag("billing").waiting()).isEqualTo(new Count(10_000, false));
    }

    @Test
    void aConsumerThatNobodyHasSeenHasNothing() {
        Lag lag = inbox.admin().lag("nobody");
        assertThat(lag).isEqualTo(new Lag("nobody", new Count(0, true), null, List.of()));
        assertThat(lag.atBrokers()).isEmpty();
        assertThat(inbox.admin().lag("no\0body").waiting().number()).isZero();
    }

    @Test
    void brokersAreAskedForWhatTheyStillHave() {
        Backlog orders = new Backlog(List.of(
                new Backlog.PartitionBacklog(new Position("orders", 0, 17), 3),
                new Backlog.PartitionBacklog(new Position("orders", 1, 5), 0)));
        Backlog refunds = new Backlog(List.of(new Backlog.PartitionBacklog(new Position("refunds", 0, 1), 40)));
        inbox.subscribe("billing")
                .from(source(() -> orders))
                .from(source(() -> refunds))
                .on("OrderPlaced", String.class, (payload, context) -> effect(context))
                .start();
        inbox.subscribe("shipping")
                .from(source(() -> {
                    throw new AssertionError("It is not asked for billing");
                }))
                .on("OrderPlaced", String.class, (payload, context) -> effect(context))
                .start();
        Lag lag = inbox.admin().lag("billing");
        assertThat(lag.brokers())
                .containsExactlyInAnyOrder(new Lag.BrokerLag(orders, null), new Lag.BrokerLag(refunds, null));
        assertThat(lag.atBrokers()).contains(43L);
        assertThat(lag).hasToString("billing: 0 waiting; 43 at the broker");
    }

    @Test
    void aBrokerThatDoesNotAnswerIsSaidAndTheRestIsThere() {
        Backlog refunds = new Backlog(List.of(new Backlog.PartitionBacklog(new Position("refunds", 0, 1), 40)));
        inbox.subscribe("billing")
                .from(source(() -> {
                    throw new IllegalStateException("it is raining");
                }))
                .from(source(() -> refunds))
                .on("OrderPlaced", String.class, (payload, context) -> effect(context))
                .start();
        inbox.store("shipping", message("1"));
        Lag lag = inbox.admin().lag("billing");
        assertThat(lag.brokers())
                .containsExactlyInAnyOrder(
                        new Lag.BrokerLag(null, "The broker did not answer: it is raining"),
                        new Lag.BrokerLag(refunds, null));
        assertThat(lag.atBrokers()).isEmpty();
        assertThat(lag).hasToString("billing: 0 waiting; broker did not answer");
        assertThat(inbox.admin().lag("shipping").waiting().number()).isEqualTo(1);
    }

    private static Source source(Supplier<Backlog> backlog) {
        return endpoint -> new QuietFeed(backlog);
    }
}
