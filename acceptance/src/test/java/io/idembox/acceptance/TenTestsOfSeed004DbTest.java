// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Operation;
import io.idembox.admin.ReplayRange;
import io.idembox.event.InboxEvent;
import io.idembox.intent.SendResult;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tests that section 30 of seed 004, "Testing Idempotency", calls the minimum; each in both modes. */
@DisplayName("The ten tests of seed 004, section 30")
class TenTestsOfSeed004DbTest extends DatabaseTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration RETENTION = Duration.ofDays(30);
    private static final ConsumerPolicy POLICY =
            ConsumerPolicy.defaults().retry(new RetryPolicy(3, MINUTE, MINUTE, 1, 0, RetryBy.REDELIVERY, Map.of()));

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

    private Bench bench(InboxHandler handler) {
        return new Bench(database, "healthy", clock, seen, POLICY, handler);
    }

    /** The broker delivers; in stored mode the workers do what there is to do. */
    private List<Receipt> deliver(Bench bench, Mode mode, Message... messages) {
        return switch (mode) {
            case DIRECT -> bench.handle(messages);
            case STORED -> {
                List<Receipt> receipts = bench.store(messages);
                bench.work();
                yield receipts;
            }
        };
    }

    private static Receipt.Kind firstAnswer(Mode mode) {
        return mode == Mode.DIRECT ? Receipt.Kind.COMPLETED : Receipt.Kind.STORED;
    }

    private MortalNode.Story story(InboxHandler handler, Mode mode, boolean diesInWorker) {
        Bench healthy = bench(handler);
        return new MortalNode.Story(
                database,
                process -> new Bench(process, database.isH2(), "mortal", clock, seen, POLICY, handler),
                acknowledged,
                (node, message) -> {
                    if (mode == Mode.DIRECT) {
                        node.bench.receive(List.of(node.delivery(message)));
                    } else if (diesInWorker) {
                        healthy.store(message);
                        node.bench.work();
                    } else {
                        node.bench.receiver.storeDeliveries(List.of(node.delivery(message)));
                        healthy.work();
                    }
                });
    }

    private List<String> effectsOf(List<Message> messages) {
        List<String> ids =
                messages.stream().map(message -> message.id().orElseThrow()).toList();
        return effects().stream().filter(ids::contains).toList();
    }

    /** What a worker left behind is found by whoever looks after leases. */
    private void afterTheLease(Bench bench) {
        clock.advance(Bench.LEASE.plusSeconds(1));
        bench.reap();
    }

    @DisplayName("1. first delivery: effect applied")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void firstDeliveryEffectApplied(Mode mode) {
        Bench bench = bench(DatabaseTest::effect);

        assertThat(deliver(bench, mode, message("evt-123")))
                .extracting(Receipt::kind)
                .containsExactly(firstAnswer(mode));

        assertThat(effects()).containsExactly("evt-123");
        assertThat(database.one("select status from idembox_inbox")).isEqualTo("COMPLETED");
    }

    @DisplayName("2. duplicate after success: no second effect")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void duplicateAfterSuccessNoSecondEffect(Mode mode) {
        AtomicInteger calls = new AtomicInteger();
        Bench bench = bench(context -> {
            calls.incrementAndGet();
            effect(context);
            context.result("\"receipt 7\"");
        });
        deliver(bench, mode, message("evt-123"));

        List<Receipt> duplicates = new ArrayList<>(deliver(bench, mode, message("evt-123")));
        duplicates.addAll(deliver(bench, mode, message("evt-123"), message("evt-123")));

        assertThat(duplicates).hasSize(3).allSatisfy(receipt -> {
            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.DUPLICATE);
            assertThat(receipt.acknowledges()).isTrue();
            assertThat(receipt.result().orElseThrow().text()).isEqualTo("\"receipt 7\"");
        });
        assertThat(effects()).containsExactly("evt-123");
        assertThat(calls).hasValue(1);
    }

    @DisplayName("3. crash after DB commit before ack: redelivery skipped")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void crashAfterCommitBeforeAckRedeliverySkipped(Mode mode) {
        Bench healthy = bench(DatabaseTest::effect);

        List<Message> met =
                story(DatabaseTest::effect, mode, false).endAtEvery(MortalNode.Moment.BEFORE_THE_ACKNOWLEDGE);
        assertThat(met).hasSize(2);
        assertThat(acknowledged).allMatch(id -> id.startsWith(MortalNode.REHEARSAL));
        healthy.work();
        assertThat(effectsOf(met)).hasSize(2).doesNotHaveDuplicates();

        met.forEach(message -> assertThat(deliver(healthy, mode, message))
                .singleElement()
                .satisfies(receipt -> {
                    assertThat(receipt.kind()).isEqualTo(Receipt.Kind.DUPLICATE);
                    assertThat(receipt.acknowledges()).isTrue();
                }));
        assertThat(effectsOf(met)).hasSize(2).doesNotHaveDuplicates();
    }

    @DisplayName("4. crash before DB commit: redelivery processes")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void crashBeforeCommitRedeliveryProcesses(Mode mode) {
        Bench healthy = bench(DatabaseTest::effect);

        List<Message> met = story(DatabaseTest::effect, mode, false).endAtEvery(MortalNode.Moment.BEFORE_THE_COMMIT);
        assertThat(acknowledged).allMatch(id -> id.startsWith(MortalNode.REHEARSAL));
        assertThat(effectsOf(met)).isEmpty();
        assertThat(database.one("select count(*) from idembox_inbox where message_id like 'm-%'"))
                .as("as if it had never been delivered")
                .isEqualTo("0");

        met.forEach(message -> assertThat(deliver(healthy, mode, message))
                .extracting(Receipt::kind)
                .containsExactly(firstAnswer(mode)));
        assertThat(effectsOf(met)).hasSameSizeAs(met).doesNotHaveDuplicates();
    }

    /** Charges once per key, whoever asks how often; not part of any transaction of ours. */
    private static final class Provider {

        private final Map<String, Integer> requests = new ConcurrentHashMap<>();

        void charge(String idempotencyKey) {
            requests.merge(idempotencyKey, 1, Integer::sum);
        }

        int charges() {
            return requests.size();
        }

        int requests() {
            return requests.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    private static Message version(String id, int version) {
        return message(id).keyed("CASE-100").header("version", Integer.toString(version));
    }

    private Bench guarding() {
        ConsumerPolicy policy = POLICY.retry(POLICY.retry().by(RetryBy.INBOX))
                .ordering(Ordering.HOLD)
                .sequence(SequencePolicy.by(SequenceNumber.header("version")).startingAt(1));
        return new Bench(database, "guarding", clock, seen, policy, DatabaseTest::effect);
    }

    private void drain(Bench bench) {
        for (int round = 0; round < 5; round++) {
            bench.work();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @DisplayName("6. old version event: ignored")
    void anOldVersionIsIgnored(Mode mode) {
        Bench one = guarding();
        deliver(one, mode, version("e1", 1), version("e2", 2));
        drain(one);

        deliver(one, mode, version("late", 1));
        drain(one);
        assertThat(effects()).containsExactlyInAnyOrder("e1", "e2");
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(database.count("idembox_attempt")).isZero();
        assertThat(database.one("select reached from idembox_sequence")).isEqualTo("2");
        assertThat(one.handle(version("late", 1))).extracting(Receipt::kind).containsExactly(Receipt.Kind.DUPLICATE);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @DisplayName("7. future version event: gap detected, held, and released when it is filled")
    void aFutureVersionIsHeld(Mode mode) {
        Bench one = guarding();
        deliver(one, mode, version("e1", 1));
        assertThat(deliver(one, mode, version("e3", 3)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.STORED);
        deliver(one, mode, message("other").keyed("CASE-200").header("version", "1"));
        drain(one);
        assertThat(effects()).containsExactlyInAnyOrder("e1", "other");
        assertThat(database.list("select status from idembox_inbox where message_id = 'e3'"))
                .containsExactly("WAITING");
        assertThat(database.one("select count(*) from idembox_sequence where gap_since is not null"))
                .isEqualTo("1");
        assertThat(deliver(one, mode, version("e3", 3)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.STORED);

        deliver(one, mode, version("e2", 2));
        drain(one);
        assertThat(database.list("select id from effect")).endsWith("e2", "e3");
        assertThat(deliver(one, mode, version("e3", 3)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.DUPLICATE);
        assertThat(database.one("select max(reached) from idembox_sequence")).isEqualTo("3");
    }

    @DisplayName("5. external side effect success before marker failure: provider idempotency prevents duplicate")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void externalSideEffectBeforeMarkerFailureProviderIdempotencyPreventsDuplicate(Mode mode) {
        Provider provider = new Provider();
        InboxHandler handler = context -> {
            provider.charge(context.effectKey("charge"));
            effect(context);
        };
        Bench healthy = bench(handler);

        List<Message> met = story(handler, mode, true).endAtEvery(MortalNode.Moment.BEFORE_THE_COMMIT);
        assertThat(effectsOf(met))
                .as("the marker failed, and the effect with it")
                .isEmpty();
        assertThat(provider.charges())
                .as("each charged, and two rehearsals for each")
                .isEqualTo(3 * met.size());
        afterTheLease(healthy);
        met.forEach(message -> deliver(healthy, mode, message));

        assertThat(effectsOf(met)).hasSameSizeAs(met).doesNotHaveDuplicates();
        assertThat(provider.requests()).as("asked again").isEqualTo(4 * met.size());
        assertThat(provider.charges()).as("charged once").isEqualTo(3 * met.size());
    }

    @DisplayName("8. DLQ replay same ID: no duplicate effect")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void deadLetterReplayWithTheSameIdNoDuplicateEffect(Mode mode) {
        AtomicBoolean mended = new AtomicBoolean();
        Bench bench = bench(context -> {
            effect(context);
            if (!mended.get() && !context.id().id().equals("handled")) {
                throw new IllegalStateException("broken");
            }
        });
        deliver(bench, mode, message("handled"));
        deliver(bench, mode, message("failed"));
        assertThat(database.one("select status from idembox_inbox where message_id = 'failed'"))
                .isEqualTo("FAILED_RETRYABLE");
        mended.set(true);
        clock.advance(MINUTE);

        // A replay keeps id, payload and headers, and adds its own.
        for (int replay = 0; replay < 2; replay++) {
            for (String id : List.of("handled", "failed")) {
                deliver(bench, mode, message(id).header("x-death", "orders.dlq").header("x-replays", "" + replay));
            }
        }

        assertThat(effects()).containsExactly("failed", "handled");
        assertThat(database.one("select status || ' ' || attempts from idembox_inbox where message_id = 'failed'"))
                .isEqualTo("COMPLETED 2");
        assertThat(deliver(bench, mode, message("failed"), message("handled")))
                .extracting(Receipt::kind)
                .containsOnly(Receipt.Kind.DUPLICATE);
    }

    @DisplayName("8. DLQ replay same ID, of one that the inbox has given up: kept for people, no effect")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void deadLetterReplayOfOneThatWasGivenUpRunsNothing(Mode mode) {
        AtomicInteger calls = new AtomicInteger();
        Bench bench = bench(context -> {
            calls.incrementAndGet();
            effect(context);
            throw new IllegalStateException("broken");
        });
        for (int attempt = 0; attempt < 3; attempt++) {
            deliver(bench, mode, message("failed"));
            clock.advance(MINUTE);
        }

        assertThat(deliver(bench, mode, message("failed").header("x-death", "orders.dlq")))
                .singleElement()
                .satisfies(receipt -> {
                    assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
                    assertThat(receipt.acknowledges()).isTrue();
                });
        assertThat(calls).hasValue(3);
        assertThat(effects()).isEmpty();
        assertThat(database.one("select status from idembox_inbox")).isEqualTo("FAILED_TERMINAL");
    }

    @DisplayName("9. replay mode: a replay handles every message again, and side effects are suppressed and counted")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void aReplayRebuildsTheProjectionAndSuppressesSideEffects(Mode mode) {
        assumeTrue(isPostgres(), "a replay needs PostgreSQL");
        AtomicInteger charges = new AtomicInteger();
        try (Inbox running = builder().outbox("receipts").listener(seen).start()) {
            Subscription billing = running.subscribe("billing")
                    .policy(ConsumerPolicy.defaults()
                            .mode(mode)
                            .recording(Recording.FULL)
                            .replay(Replay.NO_EFFECTS)
                            .retry(POLICY.retry().by(RetryBy.INBOX)))
                    .on("OrderPlaced", String.class, (order, context) -> {
                        effect(context, context.isReplay() ? "replayed" : "live");
                        context.outbox().send("receipts", Message.of(context.effectKey("receipt"), "Receipt", "{}"));
                        context.intend("charge", "{}");
                    })
                    .intent("charge", String.class, intent -> {
                        charges.incrementAndGet();
                        return SendResult.sent(null);
                    })
                    .start();
            billing.handleAll(
                    IntStream.range(0, 20).mapToObj(i -> message("m" + i)).toList());
            awaitCompleted("billing", 20);
            awaitCompleted("billing/charge", 20);

            running.admin()
                    .replays()
                    .plan(
                            ReplayRange.of("billing"),
                            CampaignOptions.defaults(),
                            new Operation("again", "anna", "a new column"));
            running.admin()
                    .replays()
                    .start("again", new Operation("begin", "anna", "as planned"), TenTestsOfSeed004DbTest::empty);
            running.admin().campaigns().advance("again");
            awaitCompleted("billing", 40);
        }

        assertThat(database.list("select note || ' ' || count(*) from effect group by note"))
                .containsExactly("replayed 20");
        assertThat(charges).as("each was charged once, the first time").hasValue(20);
        assertThat(database.list("select c.name || ' ' || count(*) from idembox_ledger l join idembox_consumer c"
                        + " on c.consumer_id = l.consumer_id group by c.name order by c.name"))
                .containsExactly("billing 20", "billing/charge 20", "outbox/receipts 20");
        assertThat(seen.all(InboxEvent.EffectsSuppressed.class).stream()
                        .mapToInt(InboxEvent.EffectsSuppressed::effects)
                        .sum())
                .as("a receipt and a charge of each message")
                .isEqualTo(40);
    }

    private void awaitCompleted(String consumer, int count) {
        seen.await(
                event -> event instanceof InboxEvent.Received received
                        && received.consumer().equals(consumer)
                        && received.receipt().kind() == Receipt.Kind.COMPLETED,
                count,
                consumer + " completed");
    }

    private static void empty(Connection connection) throws SQLException {
        try (PreparedStatement truncate = connection.prepareStatement("truncate table effect")) {
            truncate.execute();
        }
    }

    @DisplayName("9. reading the broker again: duplicates have no effect, a projection is rebuilt under a new name")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void readingTheBrokerAgainHasNoSecondEffect(Mode mode) {
        Provider provider = new Provider();
        Bench bench = bench(context -> {
            provider.charge(context.effectKey("charge"));
            effect(context, "billing");
        });
        Message[] topic = IntStream.range(0, 20).mapToObj(i -> message("m" + i)).toArray(Message[]::new);
        deliver(bench, mode, topic);
        inbox.handleAll("search", List.of(topic), context -> effect(context, "search"));

        List<Receipt> replayed = deliver(bench, mode, topic);
        List<Receipt> rebuilt = inbox.handleAll("search-2", List.of(topic), context -> effect(context, "search-2"));

        assertThat(replayed).hasSize(20).allMatch(receipt -> receipt.kind() == Receipt.Kind.DUPLICATE);
        assertThat(rebuilt).hasSize(20).allMatch(receipt -> receipt.kind() == Receipt.Kind.COMPLETED);
        assertThat(provider.requests()).isEqualTo(20);
        assertThat(database.list("select note || ' ' || count(*) from effect group by note order by note"))
                .containsExactly("billing 20", "search 20", "search-2 20");
    }

    @DisplayName("10. dedup retention expired: behaviour understood, an older duplicate runs again")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void dedupRetentionExpiredAnOlderDuplicateRunsAgain(Mode mode) {
        Bench bench = bench(DatabaseTest::effect);
        deliver(bench, mode, message("evt-123"));

        clock.advance(RETENTION);
        bench.retention.purge(bench.receiver.consumer(), RETENTION, 1_000);
        assertThat(deliver(bench, mode, message("evt-123")))
                .as("inside the retention")
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.DUPLICATE);
        clock.advance(Duration.ofSeconds(1));
        bench.retention.purge(bench.receiver.consumer(), RETENTION, 1_000);

        assertThat(deliver(bench, mode, message("evt-123")))
                .as("after it")
                .extracting(Receipt::kind)
                .containsExactly(firstAnswer(mode));
        assertThat(effects()).containsExactly("evt-123", "evt-123");
    }
}
