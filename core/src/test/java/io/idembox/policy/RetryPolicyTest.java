// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.idembox.Failure;
import io.idembox.InboxConfigurationException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryPolicyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void defaultsAreTenAttemptsWithinTenMinutesAndLeaveItToTheHandlerWhoBringsItAgain() {
        RetryPolicy defaults = RetryPolicy.defaults();

        assertThat(defaults).isEqualTo(new RetryPolicy(10, SECOND, Duration.ofMinutes(10), 2.0, 0.5, null, Map.of()));
    }

    @Test
    void theCapIsTheNumberOfAttempts() {
        RetryPolicy three = RetryPolicy.exponential(3, SECOND, MINUTE);

        assertThat(three.allowsAttemptAfter(0)).isTrue();
        assertThat(three.allowsAttemptAfter(2)).isTrue();
        assertThat(three.allowsAttemptAfter(3)).isFalse();
        assertThat(three.allowsAttemptAfter(4)).isFalse();
        assertThat(RetryPolicy.exponential(1, SECOND, MINUTE).allowsAttemptAfter(1))
                .isFalse();
    }

    @Test
    void whoBringsItAgainChangesNothingElse() {
        RetryPolicy policy = RetryPolicy.defaults().on(IOException.class, Failure.Kind.PARK);

        assertThat(policy.by(RetryBy.INBOX).by()).isEqualTo(RetryBy.INBOX);
        assertThat(policy.by(RetryBy.INBOX).by(null)).isEqualTo(policy);
    }

    @Nested
    class Delays {

        private final RetryPolicy steady = policy(2.0, 0);

        @Test
        void growUpToTheCeiling() {
            assertThat(Stream.of(1, 2, 3, 4, 5, 6, 7, 8).map(failures -> steady.delayAfter(failures, 0)))
                    .extracting(Duration::toSeconds)
                    .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);
        }

        @Test
        void growByTheMultiplier() {
            assertThat(policy(3.0, 0).delayAfter(3, 0)).isEqualTo(Duration.ofSeconds(9));
            assertThat(policy(1.5, 0).delayAfter(3, 0)).isEqualTo(Duration.ofMillis(2_250));
            assertThat(policy(1.0, 0).delayAfter(50, 0)).isEqualTo(SECOND);
        }

        @Test
        void neverShrinkWithMoreFailures() {
            for (int failures = 1; failures < 2_000; failures++) {
                assertThat(steady.delayAfter(failures + 1, 0))
                        .isGreaterThanOrEqualTo(steady.delayAfter(failures, 0))
                        .isLessThanOrEqualTo(MINUTE);
            }
        }

        @ParameterizedTest
        @ValueSource(ints = {64, 1_024, 10_000, Integer.MAX_VALUE})
        void doNotOverflow(int failures) {
            assertThat(steady.delayAfter(failures, 0)).isEqualTo(MINUTE);
            assertThat(policy(1e300, 0).delayAfter(failures, 0)).isEqualTo(MINUTE);
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 10_000, Integer.MAX_VALUE})
        void ofZeroStayZero(int failures) {
            RetryPolicy atOnce = RetryPolicy.exponential(5, Duration.ZERO, MINUTE);

            assertThat(atOnce.delayAfter(failures, 0)).isZero();
            assertThat(atOnce.delayAfter(failures, 1)).isZero();
        }

        @Test
        void beginWithTheFirstEvenWithoutFailures() {
            assertThat(steady.delayAfter(0, 0)).isEqualTo(SECOND);
            assertThat(steady.delayAfter(-1, 0)).isEqualTo(SECOND);
        }

        private RetryPolicy policy(double multiplier, double jitter) {
            return new RetryPolicy(10, SECOND, MINUTE, multiplier, jitter, RetryBy.REDELIVERY, Map.of());
        }
    }

    @Nested
    class Jitter {

        @Test
        void takesAwayItsPartAtMost() {
            RetryPolicy half = jitter(0.5);
            Random random = new Random(7);

            assertThat(half.delayAfter(3, 0)).isEqualTo(Duration.ofSeconds(4));
            assertThat(half.delayAfter(3, 0.5)).isEqualTo(Duration.ofSeconds(3));
            assertThat(half.delayAfter(3, 1)).isEqualTo(Duration.ofSeconds(2));
            for (int i = 0; i < 1_000; i++) {
                assertThat(half.delayAfter(3, random.nextDouble()))
                        .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(4));
            }
        }

        @Test
        void spreadsTheCeilingToo() {
            assertThat(jitter(0.5).delayAfter(10_000, 1)).isEqualTo(Duration.ofSeconds(30));
        }

        @Test
        void ofZeroTakesNothing() {
            assertThat(jitter(0).delayAfter(3, 1)).isEqualTo(Duration.ofSeconds(4));
        }

        @Test
        void ofOneMayTakeAll() {
            assertThat(jitter(1).delayAfter(3, 1)).isZero();
            assertThat(jitter(1).delayAfter(3, 0)).isEqualTo(Duration.ofSeconds(4));
        }

        private RetryPolicy jitter(double jitter) {
            return new RetryPolicy(10, SECOND, MINUTE, 2, jitter, RetryBy.REDELIVERY, Map.of());
        }
    }

    @Nested
    class Rules {

        private final RetryPolicy policy = RetryPolicy.defaults()
                .on(IOException.class, Failure.Kind.PERMANENT)
                .on(Exception.class, Failure.Kind.PARK)
                .on(IllegalStateException.class, Failure.Kind.TRANSIENT);

        @Test
        void ofTheNearestSuperclassDecide() {
            assertThat(policy.kindOf(new IOException())).contains(Failure.Kind.PERMANENT);
            assertThat(policy.kindOf(new FileNotFoundException())).contains(Failure.Kind.PERMANENT);
            assertThat(policy.kindOf(new IllegalStateException())).contains(Failure.Kind.TRANSIENT);
            assertThat(policy.kindOf(new RuntimeException())).contains(Failure.Kind.PARK);
        }

        @Test
        void sayNothingAboutOthers() {
            assertThat(policy.kindOf(new AssertionError())).isEmpty();
            assertThat(RetryPolicy.defaults().kindOf(new IOException())).isEmpty();
        }

        @Test
        void doNotLookBehindAnException() {
            assertThat(policy.kindOf(new Error(new IOException()))).isEmpty();
        }

        @Test
        void thatComeLastReplaceEarlierOnes() {
            assertThat(policy.on(IOException.class, Failure.Kind.TRANSIENT).kindOf(new FileNotFoundException()))
                    .contains(Failure.Kind.TRANSIENT);
            assertThat(policy.kindOf(new FileNotFoundException())).contains(Failure.Kind.PERMANENT);
        }

        @Test
        void areCopied() {
            Map<Class<? extends Throwable>, Failure.Kind> rules = new HashMap<>();
            RetryPolicy copied = new RetryPolicy(1, SECOND, MINUTE, 2, 0, RetryBy.REDELIVERY, rules);

            rules.put(IOException.class, Failure.Kind.PARK);

            assertThat(copied.rules()).isEmpty();
            assertThat(copied.rules()).isUnmodifiable();
        }
    }

    @ParameterizedTest
    @MethodSource("wrongSettings")
    void wrongSettingsAreNamed(
            String setting, int maxAttempts, Duration first, Duration max, double multiplier, double jitter) {
        assertThatThrownBy(() ->
                        new RetryPolicy(maxAttempts, first, max, multiplier, jitter, RetryBy.REDELIVERY, Map.of()))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageStartingWith(setting + " ");
    }

    static Stream<Arguments> wrongSettings() {
        return Stream.of(
                arguments("retry.max-attempts", 0, SECOND, MINUTE, 2.0, 0.5),
                arguments("retry.max-attempts", -1, SECOND, MINUTE, 2.0, 0.5),
                arguments("retry.first-delay", 1, Duration.ofNanos(-1), MINUTE, 2.0, 0.5),
                arguments("retry.max-delay", 1, MINUTE, SECOND, 2.0, 0.5),
                arguments("retry.multiplier", 1, SECOND, MINUTE, 0.99, 0.5),
                arguments("retry.multiplier", 1, SECOND, MINUTE, Double.NaN, 0.5),
                arguments("retry.jitter", 1, SECOND, MINUTE, 2.0, -0.01),
                arguments("retry.jitter", 1, SECOND, MINUTE, 2.0, 1.01),
                arguments("retry.jitter", 1, SECOND, MINUTE, 2.0, Double.NaN));
    }

    @Test
    void settingsAtTheirBoundsAreTaken() {
        RetryPolicy bounds = new RetryPolicy(1, SECOND, SECOND, 1, 1, RetryBy.REDELIVERY, Map.of());

        assertThat(bounds.delayAfter(5, 0)).isEqualTo(SECOND);
    }
}
