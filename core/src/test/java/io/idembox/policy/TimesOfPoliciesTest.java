// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every time that people set: neither negative, nor so long that somebody's arithmetic overflows. */
class TimesOfPoliciesTest {

    private static final Duration TEN_YEARS = Duration.ofDays(3_650);

    static Stream<Named<Consumer<Duration>>> settings() {
        return Stream.of(
                setting("work.max-processing", WorkPolicy.defaults()::maxProcessing),
                setting("work.poll", WorkPolicy.defaults()::poll),
                setting("retention.ledger", Retention::of),
                setting("pause.window", time -> new PausePolicy(0.5, 1, time, TEN_YEARS)),
                setting("pause.pause", time -> PausePolicy.above(0.5, time)),
                setting("sequence.gap-timeout", SequencePolicy.by(SequenceNumber.header("version"))::parkGapsAfter),
                setting("alerts.pending-age", Alerts.none()::pendingAge),
                setting("alerts.sequence-gap", Alerts.none()::sequenceGap),
                setting("retry.max-delay", time -> RetryPolicy.exponential(2, Duration.ZERO, time)));
    }

    private static Named<Consumer<Duration>> setting(String name, Consumer<Duration> setter) {
        return Named.of(name, setter);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void tenYearsAreTheLongest(Consumer<Duration> setting) {
        assertThatCode(() -> setting.accept(TEN_YEARS)).doesNotThrowAnyException();
        for (Duration tooLong : new Duration[] {TEN_YEARS.plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE)}) {
            assertThatThrownBy(() -> setting.accept(tooLong))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("must not be longer than ten years, was " + tooLong);
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void negativeOnesAreRefused(Consumer<Duration> setting) {
        for (Duration negative : new Duration[] {Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE)}) {
            assertThatThrownBy(() -> setting.accept(negative)).isInstanceOf(InboxConfigurationException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("leases")
    void aLeaseIsShorterThanADayWhateverIsAskedFor(Duration lease) {
        assertThatThrownBy(() -> WorkPolicy.defaults().lease(lease)).isInstanceOf(InboxConfigurationException.class);
    }

    static Stream<Duration> leases() {
        return Stream.of(Duration.ofDays(1), Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(Long.MIN_VALUE));
    }
}
