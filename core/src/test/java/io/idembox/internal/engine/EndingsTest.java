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

class EndingsTest {

    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final Job DOOMED = new Job.Doomed(Samples.failure(Failure.Kind.PARK), "OVER_LIMIT");

    private static final ConsumerPolicy POLICY = ConsumerPolicy.defaults();

    private final FailureRules rules = new FailureRules(
            RetryPolicy.exponential(3, Duration.ofSeconds(1), Duration.ofMinutes(1)),
            new ErrorText(error -> "primary"),
            () -> 0.0);

    @Nested
    class HeldKeys {

        private final Found first = Samples.found(Samples.keyed(0, "a", Samples.WORK));
        private final Found second = Samples.found(Samples.keyed(1, "a", Samples.WORK));
        private final Found other = Samples.found(Samples.keyed(2, "b", Samples.WORK));
        private final Found keyless = Samples.found(Samples.candidate(3, Samples.WORK));

        @Test
        void areNoneAtTheBeginning() {
            Endings endings = new Endings(rules, POLICY);

            assertThat(endings.sortOut(List.of(first, second, other, keyless), NOW))
                    .containsExactly(first, second, other, keyless);
            assertThat(endings.all()).isEmpty();
        }

        @Test
        void areThoseWhoseMessageFailed() {
            Endings endings = new Endings(rules, POLICY);

            endings.failed(first, new IllegalStateException(), NOW);

            assertThat(endings.isHeld(second)).isTrue();
            assertThat(endings.isHeld(other)).isFalse();
            assertThat(endings.isHeld(keyless)).isFalse();
        }

        @Test
        void areNeverThoseOfMessagesWithoutKey() {
            Endings endings = new Endings(rules, POLICY);

            endings.failed(keyless, new IllegalStateException(), NOW);

            assertThat(endings.isHeld(keyless)).isFalse();
            assertThat(endings.isHeld(Samples.found(Samples.candidate(4, Samples.WORK))))
                    .isFalse();
        }

        @Test
        void areThoseBehindAMessageThatIsDeliveredAgain() {
            Found busy = Found.answered(Samples.keyed(4, "a", Samples.WORK), Receipt.busy("elsewhere"));
            Found duplicate = Found.answered(Samples.keyed(5, "b", Samples.WORK), Receipt.duplicate(null));
            Endings endings = new Endings(rules, POLICY);

            assertThat(endings.sortOut(List.of(first, busy, duplicate, other, second, keyless), NOW))
                    .containsExactly(first, other, keyless);
            assertThat(endings.all())
                    .extracting(Ending::found, Ending::kind)
                    .containsExactly(tuple(second, Ending.Kind.HELD));
        }

        @Test
        void areThoseBehindADoomedMessage() {
            Found doomed = Samples.found(Samples.keyed(4, "a", DOOMED));
            Endings endings = new Endings(rules, POLICY.ordering(Ordering.HOLD));

            assertThat(endings.sortOut(List.of(first, doomed, second, other), NOW))
                    .containsExactly(first, other);
            assertThat(endings.all())
                    .extracting(Ending::found, Ending::kind)
                    .containsExactly(tuple(doomed, Ending.Kind.FAILED), tuple(second, Ending.Kind.HELD));
        }

        @Test
        void areNotThoseBehindAMessageThatIsKeptWhereNoOrderIs() {
            Found doomed = Samples.found(Samples.keyed(4, "a", DOOMED));
            Endings endings = new Endings(rules, POLICY);

            assertThat(endings.sortOut(List.of(doomed, second), NOW)).containsExactly(second);
        }

        @Test
        void areNoneWhereTheInboxRetriesAndNoOrderIsKept() {
            Endings endings = new Endings(rules, POLICY.retry(POLICY.retry().by(RetryBy.INBOX)));

            endings.failed(first, new IllegalStateException(), NOW);

            assertThat(endings.isHeld(second)).isFalse();
        }

        @Test
        void comeNoSoonerThanTheMessageInFront() {
            Endings endings = new Endings(rules, POLICY);
            endings.failed(first, HandlerException.retryAfter(Duration.ofHours(1), "x"), NOW);

            endings.holdBehind(second, "behind it");

            assertThat(endings.all().get(1).held()).isEqualTo(new Ending.Held("behind it", Duration.ofHours(1)));
        }
    }

    @Nested
    class Failures {

        private final Endings endings = new Endings(rules, POLICY);

        @Test
        void goOnAsTheRulesSay() {
            Found fresh = Samples.found(Samples.candidate(0, Samples.WORK));
            Found last = Samples.found(
                    Samples.candidate(1, Samples.WORK),
                    new Claim(EntryState.FAILED_RETRYABLE, RetryBy.REDELIVERY, 2, 0, 0, 0));

            Failure failure = endings.failed(fresh, new IllegalStateException("x"), NOW);
            endings.failed(last, new IllegalStateException("x"), NOW);

            assertThat(failure.message()).isEqualTo("x");
            assertThat(endings.all())
                    .extracting(Ending::outcome)
                    .extracting(Outcome::state)
                    .containsExactly(EntryState.FAILED_RETRYABLE, EntryState.FAILED_TERMINAL);
            assertThat(endings.all()).extracting(Ending::startedAt).containsOnly(NOW);
        }

        @Test
        void takeThePauseTheHandlerAskedFor() {
            Found found = Samples.found(Samples.candidate(0, Samples.WORK));

            endings.failed(found, HandlerException.retryAfter(Duration.ofHours(1), "x"), NOW);

            assertThat(endings.all())
                    .extracting(Ending::outcome)
                    .extracting(Outcome::retryAfter)
                    .containsExactly(Duration.ofHours(1));
        }

        @Test
        void ofDoomedMessagesAreParkedByTheirRule() {
            Found parked = Samples.found(Samples.candidate(0, DOOMED));
            Found failed =
                    Samples.found(Samples.candidate(1, new Job.Doomed(Samples.failure(Failure.Kind.PERMANENT), null)));

            endings.sortOut(List.of(parked, failed), NOW);

            assertThat(endings.all())
                    .extracting(Ending::outcome)
                    .containsExactly(
                            Outcome.parked("OVER_LIMIT", Samples.failure(Failure.Kind.PARK)),
                            Outcome.failed(Samples.failure(Failure.Kind.PERMANENT)));
        }

        @Test
        void thatAreExcusedNeverHappened() {
            Found one = Samples.found(Samples.candidate(0, Samples.WORK));
            Found two = Samples.found(Samples.candidate(1, Samples.WORK));
            Found guilty = Samples.found(Samples.candidate(2, Samples.WORK));
            for (Found found : List.of(one, two, guilty)) {
                endings.failed(found, new IllegalStateException(), NOW);
            }

            endings.excuse(Set.of(one, two), List.of(), "an outage");

            assertThat(endings.all()).hasSize(3);
            assertThat(endings.all())
                    .filteredOn(ending -> ending.kind() == Ending.Kind.HELD)
                    .allMatch(ending -> new Ending.Held("an outage", Duration.ofSeconds(1)).equals(ending.held())
                            && ending.outcome() == null)
                    .extracting(Ending::found)
                    .containsExactlyInAnyOrder(one, two);
            assertThat(endings.all())
                    .filteredOn(ending -> ending.kind() == Ending.Kind.FAILED)
                    .extracting(Ending::found)
                    .containsExactly(guilty);
        }
    }

    /** It was skipped because the one in front of it would begin the sequence of their key, which that one does not do now. */
    @Test
    void whatWasSkippedBehindAnExcusedMessageIsHeldToo() {
        Found excused = Samples.found(Samples.keyed(0, "a", Samples.WORK));
        Found skipped = Samples.found(Samples.keyed(1, "a", Job.SKIPPED));
        Found untried = Samples.found(Samples.keyed(2, "b", Samples.WORK));
        Found other = Samples.found(Samples.keyed(3, "c", Job.SKIPPED));
        Endings endings = new Endings(rules, POLICY.ordering(Ordering.HOLD));
        endings.sortOut(List.of(skipped, other), NOW);
        endings.failed(excused, new IllegalStateException(), NOW);

        endings.excuse(Set.of(excused), List.of(untried), "an outage");

        assertThat(endings.all())
                .extracting(Ending::found, Ending::kind)
                .containsExactlyInAnyOrder(
                        tuple(excused, Ending.Kind.HELD),
                        tuple(skipped, Ending.Kind.HELD),
                        tuple(untried, Ending.Kind.HELD),
                        tuple(other, Ending.Kind.SKIPPED));
    }

    @Test
    void completedMessagesKeepWhatTheirHandlerReturned() throws Exception {
        Payload result = Payload.json("{}");
        HandlerCall speaking = call(0, new Job.Single(context -> context.result(result)));
        HandlerCall silent = call(1, Samples.WORK);
        Workplace workplace = Samples.workplace();
        Endings endings = new Endings(rules, POLICY);

        for (HandlerCall call : List.of(speaking, silent)) {
            workplace.run(call);
            endings.completed(call, workplace, NOW);
        }

        assertThat(endings.all())
                .containsExactly(
                        Ending.completed(speaking.members().get(0), result, NOW),
                        Ending.completed(silent.members().get(0), null, NOW));
    }

    @Test
    void attemptsAreCountedOverAllThatEndedOne() {
        Candidate candidate = Samples.candidate(0, Samples.WORK);
        Found fresh = Samples.found(candidate);
        Found again = Samples.found(candidate, new Claim(EntryState.FAILED_RETRYABLE, RetryBy.REDELIVERY, 2, 3, 4, 5));

        assertThat(fresh.failures()).isZero();
        assertThat(fresh.attempt()).isEqualTo(1);
        assertThat(again.failures()).isEqualTo(2);
        assertThat(again.attempt()).isEqualTo(15);
    }

    @Test
    void whileAnIdentityIsReplacedTheHigherCountIsTaken() {
        Candidate candidate = Samples.candidate(0, Samples.WORK);
        Found both = Found.ours(
                candidate,
                List.of(
                        Found.Hold.recorded(candidate.id(), 1, null),
                        Found.Hold.taken(
                                candidate.id(),
                                2,
                                new Claim(EntryState.FAILED_RETRYABLE, RetryBy.REDELIVERY, 2, 0, 0, 0))));

        assertThat(both.failures()).isEqualTo(2);
        assertThat(both.attempt()).isEqualTo(3);
        assertThat(both.main().arrival()).isEqualTo(1);
    }

    private static HandlerCall call(int nth, Job job) {
        return new HandlerCall(List.of(Samples.found(Samples.candidate(nth, job))));
    }
}
