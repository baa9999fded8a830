// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.StoreUnavailableException;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.GapMonitor;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.OutgoingPolicy;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryBy;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A message that is parked because its process died each time reaches the dead-letter destination like one that failed for good. */
class CrashParkedDbTest extends DatabaseTest {

    private static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .recording(Recording.FULL)
            .outgoing(OutgoingPolicy.defaults().deadLetters("dead"));

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();
    private Bench bench;
    private OutboxWriter outboxWriter;
    private RegisteredConsumer dead;

    @BeforeEach
    void open() {
        bench = new Bench(database, "one", clock, seen, POLICY, DatabaseTest::effect);
        dead = bench.store.consumer(
                "outbox/dead",
                ConsumerPolicy.defaults()
                        .mode(Mode.STORED)
                        .recording(Recording.FULL)
                        .ordering(Ordering.HOLD)
                        .retry(POLICY.retry().by(RetryBy.INBOX)));
        bench.store.know("/dead");
        outboxWriter = OutboxWriter.closed(bench.store);
        outboxWriter.open("dead", dead, "/dead");
        bench.store(message("1").keyed("k").header("trace", "t1"));
    }

    /** The process that works on it dies. */
    private void crash() {
        assertThat(bench.claim(1, 10)).hasSize(1);
        clock.advance(Bench.LEASE.plusSeconds(1));
    }

    private List<ClaimedMessage> letters() {
        List<Lease> leases = bench.leases.claim(dead, new LeaseStore.Demand(1, 10, Bench.LEASE, 0, true));
        return leases.isEmpty() ? List.of() : bench.leases.load(dead, leases.get(0));
    }

    @Test
    void theThirdCrashParksItAndSendsItToTheDeadLetters() {
        for (int crashes = 1; crashes < LeaseStore.PARKED_AFTER; crashes++) {
            crash();
            bench.reaper(outboxWriter).reap();
            assertThat(letters()).isEmpty();
        }
        crash();
        bench.reaper(outboxWriter).reap();

        assertThat(database.one("select status || ' ' || reason from idembox_inbox where consumer = 'billing'"))
                .isEqualTo("PARKED CRASH");
        assertThat(letters()).singleElement().satisfies(delivery -> {
            Headers headers = delivery.message().headers();
            assertThat(delivery.message().payload().text()).isEqualTo("{\"id\":\"1\"}");
            assertThat(delivery.message().key()).contains("k");
            assertThat(headers.text("trace")).contains("t1");
            assertThat(headers.text("idembox-dead-id")).contains("1");
            assertThat(headers.text("idembox-dead-source")).contains("/orders");
            assertThat(headers.text("idembox-dead-consumer")).contains("billing");
            assertThat(headers.text("idembox-dead-error-class")).contains("LeaseExpired");
        });
        assertThat(seen.all(InboxEvent.LeaseExpired.class))
                .extracting(
                        InboxEvent.LeaseExpired::id, InboxEvent.LeaseExpired::expiries, InboxEvent.LeaseExpired::parked)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(new MessageId("/orders", "1"), 1, false),
                        org.assertj.core.groups.Tuple.tuple(new MessageId("/orders", "1"), 2, false),
                        org.assertj.core.groups.Tuple.tuple(new MessageId("/orders", "1"), 3, true));
    }

    /** Race: an application has sent to the same key of the destination, and has not committed yet. */
    @Test
    void aKeyOfTheDestinationThatIsInUseKeepsNothingFromBeingParked() throws SQLException {
        for (int crashes = 1; crashes < LeaseStore.PARKED_AFTER; crashes++) {
            crash();
            bench.reap();
        }
        crash();
        try (Inbox application = builder().outbox("dead").start();
                Connection thinking = database.dataSource().getConnection()) {
            thinking.setAutoCommit(false);
            application
                    .outbox()
                    .send(thinking, "dead", Message.of("d0", "Receipt", "{}").keyed("k"));

            bench.reaper(outboxWriter).reap();

            assertThat(database.one("select status from idembox_inbox where consumer = 'billing'"))
                    .isEqualTo("PARKED");
            assertThat(letters()).singleElement().satisfies(delivery -> {
                assertThat(delivery.message().key()).isEmpty();
                assertThat(delivery.message().headers().text("idembox-dead-id")).contains("1");
            });
            thinking.rollback();
        }
    }

    /** A message whose predecessor has not arrived for too long. */
    private GapMonitor gapsOfOneThatIsEarly() {
        Duration patience = Duration.ofMinutes(1);
        ConsumerPolicy guarded = POLICY.ordering(Ordering.HOLD)
                .retry(POLICY.retry().by(RetryBy.INBOX))
                .sequence(SequencePolicy.by(SequenceNumber.header("version"))
                        .startingAt(1)
                        .parkGapsAfter(patience));
        Bench early = new Bench(database, "two", clock, seen, guarded, DatabaseTest::effect);
        early.store(message("v2").keyed("a").header("version", "2"));
        clock.advance(patience.plusSeconds(1));
        return new GapMonitor(bench.store, early.receiver.consumer(), new EventPublisher(List.of(seen)), outboxWriter);
    }

    @Test
    void whatIsParkedBehindAGapGoesToTheDeadLettersToo() {
        GapMonitor gapMonitor = gapsOfOneThatIsEarly();

        assertThat(gapMonitor.look()).isOne();

        assertThat(database.one("select reason from idembox_inbox where message_id = 'v2'"))
                .isEqualTo("GAP");
        assertThat(letters()).singleElement().satisfies(delivery -> {
            assertThat(delivery.message().headers().text("idembox-dead-id")).contains("v2");
            assertThat(delivery.message().headers().text("idembox-dead-error-class"))
                    .contains("Gap");
        });
    }

    /** The database went back in time, and no delivery or relay of this process looks the names up. */
    private void forgetDestination() {
        database.run(
                "delete from idembox_source where name = '/dead'",
                "delete from idembox_consumer where name = 'outbox/dead'");
    }

    @Test
    void theReaperLooksUpNamesThatTheDatabaseHasLost() {
        for (int crashes = 1; crashes < LeaseStore.PARKED_AFTER; crashes++) {
            crash();
            bench.reap();
        }
        crash();
        forgetDestination();

        assertThatThrownBy(() -> bench.reaper(outboxWriter).reap()).isInstanceOf(StoreUnavailableException.class);
        bench.reaper(outboxWriter).reap();

        assertThat(database.one("select status from idembox_inbox where consumer = 'billing'"))
                .isEqualTo("PARKED");
        assertThat(letters()).hasSize(1);
    }

    @Test
    void theGapMonitorLooksUpNamesThatTheDatabaseHasLost() {
        GapMonitor gapMonitor = gapsOfOneThatIsEarly();
        forgetDestination();

        assertThatThrownBy(gapMonitor::look).isInstanceOf(TransactionFailed.class);

        assertThat(gapMonitor.look()).isOne();
        assertThat(letters()).hasSize(1);
    }

    /** Crash between the two: neither is there, and the next round does both. */
    @Test
    void itIsParkedAndSentTogetherOrNotAtAll() {
        for (int crashes = 1; crashes < LeaseStore.PARKED_AFTER; crashes++) {
            crash();
            bench.reap();
        }
        crash();

        assertThatThrownBy(() -> bench.leases.reap(bench.receiver.consumer(), (tx, parked) -> {
                    throw new IllegalStateException("the process dies here");
                }))
                .hasMessage("the process dies here");
        assertThat(database.one("select crashes from idembox_entry")).isEqualTo("2");
        assertThat(database.count("idembox_lease")).isEqualTo(1);

        bench.reaper(outboxWriter).reap();
        assertThat(letters()).hasSize(1);
    }
}
