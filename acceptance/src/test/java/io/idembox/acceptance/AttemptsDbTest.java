// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Position;
import io.idembox.admin.Attempt;
import io.idembox.admin.InboxMessage;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is recorded of attempts and of where a message came from. */
class AttemptsDbTest extends DatabaseTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final Duration WORK = Duration.ofSeconds(3);

    private final ManualClock clock = ManualClock.create();

    /** Its handler takes three seconds and fails. */
    private AdminBench bench(Mode mode) {
        ConsumerPolicy policy =
                ConsumerPolicy.defaults().mode(mode).retry(RetryPolicy.exponential(10, Duration.ZERO, Duration.ZERO));
        return new AdminBench(database, clock, policy, context -> {
            clock.advance(WORK);
            throw new IllegalStateException("not yet");
        });
    }

    private static Message traced() {
        return message("m").header("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01");
    }

    private static List<Attempt> attempts(AdminBench bench) {
        InboxMessage known =
                bench.admin.find("billing", new MessageId("/orders", "m")).orElseThrow();
        return bench.admin.attempts(known);
    }

    private static void lasted(Attempt attempt, Instant start) {
        assertThat(attempt.startedAt()).isEqualTo(start);
        assertThat(attempt.endedAt()).isEqualTo(start.plus(WORK));
        assertThat(attempt.traceId()).isEqualTo(TRACE);
    }

    @Test
    void attemptsOfADirectConsumerHaveTraceStartAndEnd() {
        AdminBench bench = bench(Mode.DIRECT);
        Instant first = clock.instant();
        bench.node.handle(traced());
        clock.advance(Duration.ofMinutes(1));
        Instant second = clock.instant();
        bench.node.handle(traced());

        assertThat(attempts(bench)).hasSize(2);
        lasted(attempts(bench).get(0), first);
        lasted(attempts(bench).get(1), second);
    }

    @Test
    void attemptsOfAWorkerHaveTraceStartAndEnd() {
        AdminBench bench = bench(Mode.STORED);
        bench.node.store(traced());
        clock.advance(Duration.ofMinutes(1));
        Instant start = clock.instant();
        bench.node.work();

        assertThat(attempts(bench)).hasSize(1);
        lasted(attempts(bench).get(0), start);
    }

    @Test
    void aTraceParentThatIsNoneIsLeftOut() {
        AdminBench bench = bench(Mode.DIRECT);
        bench.node.handle(
                message("m").header("traceparent", "00-" + TRACE.toUpperCase(java.util.Locale.ROOT) + "-1-01"));

        assertThat(attempts(bench)).singleElement().extracting(Attempt::traceId).isNull();
    }

    @Test
    void theViewShowsWhereAMessageWasAndInWhichVersion() {
        AdminBench bench = bench(Mode.STORED);
        bench.node.store(
                message("m").typed("OrderPlaced", 3).at(new Position("orders", 7, 12_345_678_901L)), message("n"));

        assertThat(database.list("select message_id || ' ' || event_type || ' ' || event_version || ' '"
                        + " || coalesce(channel, '-') || ' ' || coalesce(cast(partition_no as varchar(20)), '-') || ' '"
                        + " || coalesce(cast(offset_no as varchar(20)), '-') from idembox_inbox order by message_id"))
                .containsExactly("m OrderPlaced 3 orders 7 12345678901", "n OrderPlaced 1 - - -");
    }

    @Test
    void aLongIdIsFoundUnderItself() {
        AdminBench bench = new AdminBench(database, clock, ConsumerPolicy.defaults(), context -> {});
        MessageId id = new MessageId("/orders", "i".repeat(600));
        bench.node.handle(message(id.id()));

        assertThat(bench.admin.find("billing", id).orElseThrow().ref().id()).isEqualTo(id);
    }
}
