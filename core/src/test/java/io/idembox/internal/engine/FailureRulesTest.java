// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.idembox.Failure;
import io.idembox.HandlerException;
import io.idembox.InboxConfigurationException;
import io.idembox.PayloadException;
import io.idembox.policy.RetryPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FailureRulesTest {

    private static final RetryPolicy THREE = RetryPolicy.exponential(3, Duration.ofSeconds(1), Duration.ofMinutes(1));

    private final FailureRules rules = rules(THREE);

    @Nested
    class Kinds {

        @ParameterizedTest
        @CsvSource({
            "22001, PERMANENT",
            "22P02, PERMANENT",
            "42703, PERMANENT",
            "42S02, PERMANENT",
            "0A000, PERMANENT",
            "23505, TRANSIENT",
            "23503, TRANSIENT",
            "40001, TRANSIENT",
            "40P01, TRANSIENT",
            "53300, TRANSIENT",
            "55P03, TRANSIENT",
            "57014, TRANSIENT",
            "08006, TRANSIENT",
            "HY000, TRANSIENT",
            "02000, TRANSIENT",
            "2, TRANSIENT",
            "'', TRANSIENT",
            ", TRANSIENT",
        })
        void ofDatabaseErrorsFollowTheSqlState(@Nullable String state, Failure.Kind expected) {
            SQLException error = new SQLException("it broke", state);

            assertThat(kindOf(error)).isEqualTo(expected);
            assertThat(kindOf(new IllegalStateException("wrapped", error))).isEqualTo(expected);
            assertThat(kindOf(new RuntimeException(new IOException(new RuntimeException(error)))))
                    .isEqualTo(expected);
        }

        @ParameterizedTest
        @MethodSource
        void ofOtherErrorsFollowTheClass(Throwable thrown, Failure.Kind expected) {
            assertThat(kindOf(thrown)).isEqualTo(expected);
        }

        static Stream<Arguments> ofOtherErrorsFollowTheClass() {
            return Stream.of(
                    arguments(new PayloadException("unreadable", null), Failure.Kind.UNREADABLE),
                    arguments(
                            new PayloadException("unreadable", new SQLException("x", "42000")),
                            Failure.Kind.UNREADABLE),
                    arguments(new ClassCastException(), Failure.Kind.PERMANENT),
                    arguments(new NoClassDefFoundError(), Failure.Kind.PERMANENT),
                    arguments(new NoSuchMethodError(), Failure.Kind.PERMANENT),
                    arguments(new ExceptionInInitializerError(), Failure.Kind.PERMANENT),
                    arguments(new StackOverflowError(), Failure.Kind.PERMANENT),
                    arguments(new UnsupportedOperationException(), Failure.Kind.PERMANENT),
                    arguments(new NullPointerException(), Failure.Kind.TRANSIENT),
                    arguments(new IllegalStateException(), Failure.Kind.TRANSIENT),
                    arguments(new IllegalArgumentException(), Failure.Kind.TRANSIENT),
                    arguments(new UncheckedIOException(new IOException()), Failure.Kind.TRANSIENT),
                    arguments(new TimeoutException(), Failure.Kind.TRANSIENT),
                    arguments(new AssertionError(), Failure.Kind.TRANSIENT),
                    arguments(new InboxConfigurationException("x"), Failure.Kind.TRANSIENT),
                    arguments(new Throwable(), Failure.Kind.TRANSIENT));
        }

        @Test
        void areWhatTheHandlerSays() {
            assertThat(kindOf(HandlerException.park("negative amount"))).isEqualTo(Failure.Kind.PARK);
            assertThat(kindOf(HandlerException.retryAfter(Duration.ZERO, "not yet")))
                    .isEqualTo(Failure.Kind.TRANSIENT);
        }

        @Test
        void areWhatThePolicySaysBeforeAnythingElse() {
            FailureRules own = rules(THREE.on(SQLException.class, Failure.Kind.PARK)
                    .on(PayloadException.class, Failure.Kind.TRANSIENT)
                    .on(LinkageError.class, Failure.Kind.TRANSIENT)
                    .on(IllegalStateException.class, Failure.Kind.PERMANENT));

            assertThat(own.failureOf(new SQLException("x", "42000")).kind()).isEqualTo(Failure.Kind.PARK);
            assertThat(own.failureOf(new PayloadException("x", null)).kind()).isEqualTo(Failure.Kind.TRANSIENT);
            assertThat(own.failureOf(new NoSuchMethodError()).kind()).isEqualTo(Failure.Kind.TRANSIENT);
            assertThat(own.failureOf(new IllegalStateException(new SQLException("x", "23505")))
                            .kind())
                    .isEqualTo(Failure.Kind.PERMANENT);
            assertThat(own.failureOf(new ClassCastException()).kind()).isEqualTo(Failure.Kind.PERMANENT);
        }

        @Test
        void thatTheHandlerAsksForStandEvenAgainstThePolicy() {
            FailureRules own = rules(THREE.on(RuntimeException.class, Failure.Kind.PERMANENT)
                    .on(HandlerException.class, Failure.Kind.UNREADABLE));

            assertThat(own.failureOf(HandlerException.park("x")).kind()).isEqualTo(Failure.Kind.PARK);
            assertThat(own.failureOf(HandlerException.retryAfter(Duration.ZERO, "x"))
                            .kind())
                    .isEqualTo(Failure.Kind.TRANSIENT);
        }

        private Failure.Kind kindOf(Throwable thrown) {
            return rules.failureOf(thrown).kind();
        }
    }

    @Nested
    class Outcomes {

        private final Failure passing = Samples.failure(Failure.Kind.TRANSIENT);

        @Test
        void ofWhatMayPassAreRetriesUpToTheCap() {
            assertThat(rules.outcomeOf(passing, 0, null))
                    .isEqualTo(FailureOutcome.retryAfter(Duration.ofSeconds(1), passing));
            assertThat(rules.outcomeOf(passing, 1, null))
                    .isEqualTo(FailureOutcome.retryAfter(Duration.ofSeconds(2), passing));
            assertThat(rules.outcomeOf(passing, 2, null)).isEqualTo(FailureOutcome.failed(passing));
            assertThat(rules.outcomeOf(passing, 100, null)).isEqualTo(FailureOutcome.failed(passing));
        }

        @Test
        void ofASingleAttemptAreFinal() {
            FailureRules once = rules(RetryPolicy.exponential(1, Duration.ZERO, Duration.ZERO));

            assertThat(once.outcomeOf(passing, 0, null)).isEqualTo(FailureOutcome.failed(passing));
        }

        @Test
        void takeTheJitterTheyAreGiven() {
            FailureRules jittered = new FailureRules(THREE, new ErrorText(SQLException::getMessage), () -> 1.0);

            assertThat(jittered.outcomeOf(passing, 1, null).retryAfter()).isEqualTo(Duration.ofSeconds(1));
        }

        @Test
        void takeThePauseTheHandlerAskedFor() {
            Duration asked = Duration.ofHours(5);

            assertThat(rules.outcomeOf(passing, 0, asked)).isEqualTo(FailureOutcome.retryAfter(asked, passing));
            assertThat(rules.outcomeOf(passing, 0, Duration.ZERO).retryAfter()).isZero();
            assertThat(rules.outcomeOf(passing, 2, asked)).isEqualTo(FailureOutcome.failed(passing));
        }

        @ParameterizedTest
        @CsvSource({
            "PERMANENT,  FAILED_TERMINAL, ",
            "UNREADABLE, PARKED,          UNREADABLE",
            "PARK,       PARKED,          HANDLER",
        })
        void ofTheRestAreFinalAtOnce(Failure.Kind kind, EntryState state, @Nullable String reason) {
            Failure failure = Samples.failure(kind);

            FailureOutcome outcome = rules.outcomeOf(failure, 0, Duration.ofSeconds(1));

            assertThat(outcome).isEqualTo(new FailureOutcome(state, reason, failure, null));
            assertThat(outcome.isFinal()).isTrue();
        }

        @Test
        void areFinalUnlessTheyAreRetries() {
            assertThat(FailureOutcome.retryAfter(Duration.ZERO, passing).isFinal())
                    .isFalse();
            assertThat(FailureOutcome.failed(passing).isFinal()).isTrue();
            assertThat(FailureOutcome.parked("X", passing).isFinal()).isTrue();
        }
    }

    @Test
    void onlyAHandlerAsksForAPause() {
        assertThat(FailureRules.askedPause(HandlerException.retryAfter(Duration.ofMinutes(5), "x")))
                .isEqualTo(Duration.ofMinutes(5));
        assertThat(FailureRules.askedPause(HandlerException.park("x"))).isNull();
        assertThat(FailureRules.askedPause(new IOException())).isNull();
    }

    private static FailureRules rules(RetryPolicy retry) {
        return new FailureRules(retry, new ErrorText(error -> "primary"), () -> 0.0);
    }
}
