// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.idembox.Failure;
import io.idembox.HandlerException;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class BatchResultsTest {

    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final HandlerTask DOOMED = new HandlerTask.Doomed(Samples.failure(Failure.Kind.PARK), "OVER_LIMIT");

    private static final ConsumerPolicy POLICY = ConsumerPolicy.defaults();

    private final FailureRules rules = new FailureRules(
            RetryPolicy.exponential(3, Duration.ofSeconds(1), Duration.ofMinutes(1)),
            new ErrorText(error -> "primary"),
            () -> 0.0);

    @Nested
    class HeldKeys {

        private final RecordedMessage first = Samples.found(Samples.keyed(0, "a", Samples.WORK));
        private final RecordedMessage second = Samples.found(Samples.keyed(1, "a", Samples.WORK));
        private final RecordedMessage other = Samples.found(Samples.keyed(2, "b", Samples.WORK));
        private final RecordedMessage keyless = Samples.found(Samples.candidate(3, Samples.WORK));

        @Test
        void areNoneAtTheBeginning() {
            BatchResults batchResults = new BatchResults(rules, POLICY);

            assertThat(batchResults.sortOut(List.of(first, second, other, keyless), NOW))
                    .containsExactly(first, second, other, keyless);
            assertThat(batchResults.all()).isEmpty();
        }

        @Test
        void areThoseWhoseMessageFailed() {
            BatchResults batchResults = new BatchResults(rules, POLICY);

            batchResults.failed(first, new IllegalStateException(), NOW);

            assertThat(batchResults.isHeld(second)).isTrue();
            assertThat(batchResults.isHeld(other)).isFalse();
            assertThat(batchResults.isHeld(keyless)).isFalse();
        }

        @Test
        void areNeverThoseOfMessagesWithoutKey() {
            BatchResults batchResults = new BatchResults(rules, POLICY);

            batchResults.failed(keyless, new IllegalStateException(), NOW);

            assertThat(batchResults.isHeld(keyless)).isFalse();
            assertThat(batchResults.isHeld(Samples.found(Samples.candidate(4, Samples.WORK))))
                    .isFalse();
        }

        @Test
        void areThoseBehindAMessageThatIsDeliveredAgain() {
            RecordedMessage busy =
                    RecordedMessage.answered(Samples.keyed(4, "a", Samples.WORK), Receipt.busy("elsewhere"));
            RecordedMessage duplicate =
                    RecordedMessage.answered(Samples.keyed(5, "b", Samples.WORK), Receipt.duplicate(null));
            BatchResults batchResults = new BatchResults(rules, POLICY);

            assertThat(batchResults.sortOut(List.of(first, busy, duplicate, other, second, keyless), NOW))
                    .containsExactly(first, other, keyless);
            assertThat(batchResults.all())
                    .extracting(MessageResult::recorded, MessageResult::kind)
                    .containsExactly(tuple(second, MessageResult.Kind.HELD));
        }

        @Test
        void areThoseBehindADoomedMessage() {
            RecordedMessage doomed = Samples.found(Samples.keyed(4, "a", DOOMED));
            BatchResults batchResults = new BatchResults(rules, POLICY.ordering(Ordering.HOLD));

            assertThat(batchResults.sortOut(List.of(first, doomed, second, other), NOW))
                    .containsExactly(first, other);
            assertThat(batchResults.all())
                    .extracting(MessageResult::recorded, MessageResult::kind)
                    .containsExactly(tuple(doomed, MessageResult.Kind.FAILED), tuple(second, MessageResult.Kind.HELD));
        }

        @Test
        void areNotThoseBehindAMessageThatIsKeptWhereNoOrderIs() {
            RecordedMessage doomed = Samples.found(Samples.keyed(4, "a", DOOMED));
            BatchResults batchResults = new BatchResults(rules, POLICY);

            assertThat(batchResults.sortOut(List.of(doomed, second), NOW)).containsExactly(second);
        }

        @Test
        void areNoneWhereTheInboxRetriesAndNoOrderIsKept() {
            BatchResults batchResults =
                    new BatchResults(rules, POLICY.retry(POLICY.retry().by(RetryBy.INBOX)));

            batchResults.failed(first, new IllegalStateException(), NOW);

            assertThat(batchResults.isHeld(second)).isFalse();
        }

        @Test
        void comeNoSoonerThanTheMessageInFront() {
            BatchResults batchResults = new BatchResults(rules, POLICY);
            batchResults.failed(first, HandlerException.retryAfter(Duration.ofHours(1), "x"), NOW);

            batchResults.holdBehind(second, "behind it");

            assertThat(batchResults.all().get(1).held())
                    .isEqualTo(new MessageResult.Held("behind it", Duration.ofHours(1)));
        }
    }

    @Nested
    class Failures {

        private final BatchResults batchResults = new BatchResults(rules, POLICY);

        @Test
        void goOnAsTheRulesSay() {
            RecordedMessage fresh = Samples.found(Samples.candidate(0, Samples.WORK));
            RecordedMessage last = Samples.found(
                    Samples.candidate(1, Samples.WORK),
                    new EntrySnapshot(EntryState.FAILED_RETRYABLE, RetryBy.REDELIVERY, 2, 0, 0, 0));

            Failure failure = batchResults.failed(fresh, new IllegalStateException("x"), NOW);
            batchResults.failed(last, new IllegalStateException("x"), NOW);

            assertThat(failure.message()).isEqualTo("x");
            assertThat(batchResults.all())
                    .extracting(MessageResult::outcome)
                    .extracting(FailureOutcome::state)
                    .containsExactly(EntryState.FAILED_RETRYABLE, EntryState.FAILED_TERMINAL);
            assertThat(batchResults.all()).extracting(MessageResult::startedAt).containsOnly(NOW);
        }

        @Test
        void takeThePauseTheHandlerAskedFor() {
            RecordedMessage recorded = Samples.found(Samples.candidate(0, Samples.WORK));

            batchResults.failed(recorded, HandlerException.retryAfter(Duration.ofHours(1), "x"), NOW);

            assertThat(batchResults.all())
                    .extracting(MessageResult::outcome)
                    .extracting(FailureOutcome::retryAfter)
                    .containsExactly(Duration.ofHours(1));
        }

        @Test
        void ofDoomedMessagesAreParkedByTheirRule() {
            RecordedMessage parked = Samples.found(Samples.candidate(0, DOOMED));
            RecordedMessage failed = Samples.found(
                    Samples.candidate(1, new HandlerTask.Doomed(Samples.failure(Failure.Kind.PERMANENT), null)));

            batchResults.sortOut(List.of(parked, failed), NOW);

            assertThat(batchResults.all())
                    .extracting(MessageResult::outcome)
                    .containsExactly(
                            FailureOutcome.parked("OVER_LIMIT", Samples.failure(Failure.Kind.PARK)),
                            FailureOutcome.failed(Samples.failure(Failure.Kind.PERMANENT)));
        }

        @Test
        void thatAreExcusedNeverHappened() {
            RecordedMessage one = Samples.found(Samples.candidate(0, Samples.WORK));
            RecordedMessage two = Samples.found(Samples.candidate(1, Samples.WORK));
            RecordedMessage guilty = Samples.found(Samples.candidate(2, Samples.WORK));
            for (RecordedMessage recorded : List.of(one, two, guilty)) {
                batchResults.failed(recorded, new IllegalStateException(), NOW);
            }

            batchResults.excuse(Set.of(one, two), List.of(), "an outage");

            assertThat(batchResults.all()).hasSize(3);
            assertThat(batchResults.all())
                    .filteredOn(ending -> ending.kind() == MessageResult.Kind.HELD)
                    .allMatch(ending -> new MessageResult.Held("an outage", Duration.ofSeconds(1)).equals(ending.held())
                            && ending.outcome() == null)
                    .extracting(MessageResult::recorded)
                    .containsExactlyInAnyOrder(one, two);
            assertThat(batchResults.all())
                    .filteredOn(ending -> ending.kind() == MessageResult.Kind.FAILED)
                    .extracting(MessageResult::recorded)
                    .containsExactly(guilty);
        }
    }

    /** It was skipped because the one in front of it would begin the sequence of their key, which that one does not do now. */
    @Test
    void whatWasSkippedBehindAnExcusedMessageIsHeldToo() {
        RecordedMessage excused = Samples.found(Samples.keyed(0, "a", Samples.WORK));
        RecordedMessage skipped = Samples.found(Samples.keyed(1, "a", HandlerTask.SKIPPED));
        RecordedMessage untried = Samples.found(Samples.keyed(2, "b", Samples.WORK));
        RecordedMessage other = Samples.found(Samples.keyed(3, "c", HandlerTask.SKIPPED));
        BatchResults batchResults = new BatchResults(rules, POLICY.ordering(Ordering.HOLD));
        batchResults.sortOut(List.of(skipped, other), NOW);
        batchResults.failed(excused, new IllegalStateException(), NOW);

        batchResults.excuse(Set.of(excused), List.of(untried), "an outage");

        assertThat(batchResults.all())
                .extracting(MessageResult::recorded, MessageResult::kind)
                .containsExactlyInAnyOrder(
                        tuple(excused, MessageResult.Kind.HELD),
                        tuple(skipped, MessageResult.Kind.HELD),
                        tuple(untried, MessageResult.Kind.HELD),
                        tuple(other, MessageResult.Kind.SKIPPED));
    }

    @Test
    void completedMessagesKeepWhatTheirHandlerReturned() throws Exception {
        Payload result = Payload.json("{}");
        HandlerCall speaking = call(0, new HandlerTask.Single(context -> context.result(result)));
        HandlerCall silent = call(1, Samples.WORK);
        HandlerRunner handlerRunner = Samples.workplace();
        BatchResults batchResults = new BatchResults(rules, POLICY);

        for (HandlerCall call : List.of(speaking, silent)) {
            handlerRunner.run(call);
            batchResults.completed(call, handlerRunner, NOW);
        }

        assertThat(batchResults.all())
                .containsExactly(
                        MessageResult.completed(speaking.members().get(0), result, NOW),
                        MessageResult.completed(silent.members().get(0), null, NOW));
    }

    @Test
    void attemptsAreCountedOverAllThatEndedOne() {
        IncomingMessage incoming = Samples.candidate(0, Samples.WORK);
        RecordedMessage fresh = Samples.found(incoming);
        RecordedMessage again =
                Samples.found(incoming, new EntrySnapshot(EntryState.FAILED_RETRYABLE, RetryBy.REDELIVERY, 2, 3, 4, 5));

        assertThat(fresh.failures()).isZero();
        assertThat(fresh.attempt()).isEqualTo(1);
        assertThat(again.failures()).isEqualTo(2);
        assertThat(again.attempt()).isEqualTo(15);
    }

    @Test
    void whileAnIdentityIsReplacedTheHigherCountIsTaken() {
        IncomingMessage incoming = Samples.candidate(0, Samples.WORK);
        RecordedMessage both = RecordedMessage.ours(
                incoming,
                List.of(
                        RecordedMessage.Hold.recorded(incoming.id(), 1, null),
                        RecordedMessage.Hold.taken(
                                incoming.id(),
                                2,
                                new EntrySnapshot(EntryState.FAILED_RETRYABLE, RetryBy.REDELIVERY, 2, 0, 0, 0))));

        assertThat(both.failures()).isEqualTo(2);
        assertThat(both.attempt()).isEqualTo(3);
        assertThat(both.main().arrival()).isEqualTo(1);
    }

    private static HandlerCall call(int nth, HandlerTask task) {
        return new HandlerCall(List.of(Samples.found(Samples.candidate(nth, task))));
    }
}
