// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConsumerPolicyTest {

    private static final ConsumerPolicy DEFAULTS = ConsumerPolicy.defaults();

    /** What a consumer may do without. */
    private static final Set<String> OPTIONAL = Set.of("sequence", "pause", "owner");

    /** Another value for each setting. */
    private static final Map<String, Object> OTHERS = mapOf(
            "mode",
            Mode.STORED,
            "recording",
            Recording.FULL,
            "identity",
            IdentityPolicy.by(Identity.headers("id")),
            "retry",
            RetryPolicy.exponential(2, Duration.ofSeconds(1), Duration.ofSeconds(1)),
            "unknownType",
            UnknownType.FAIL,
            "ordering",
            Ordering.HOLD,
            "sequence",
            SequencePolicy.by(SequenceNumber.header("version")),
            "pause",
            PausePolicy.above(0.5, Duration.ofMinutes(1)),
            "limits",
            new Limits(10, 10, 10),
            "retention",
            Retention.of(Duration.ofDays(1)),
            "work",
            WorkPolicy.defaults().workers(1),
            "outgoing",
            OutgoingPolicy.defaults().onDuplicate(OnDuplicate.SKIP),
            "intents",
            Map.of("charge", IntentPolicy.defaults()),
            "replay",
            Replay.NO_EFFECTS,
            "alerts",
            Alerts.none().parked(1),
            "owner",
            "team-billing");

    private static Map<String, Object> mapOf(Object... pairs) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], pairs[i + 1]);
        }
        return map;
    }

    static Stream<RecordComponent> required() {
        return settings().filter(setting -> !OPTIONAL.contains(setting.getName()));
    }

    /** All but the strategy, which is where a policy begins. */
    static Stream<RecordComponent> settings() {
        return Stream.of(ConsumerPolicy.class.getRecordComponents())
                .filter(setting -> !setting.getName().equals("strategy"));
    }

    @Test
    void defaultsHandleAtOnceKeepMarksAndParkWhatNobodyKnows() {
        assertThat(DEFAULTS.strategy()).isEqualTo(Strategy.IDS);
        assertThat(DEFAULTS.mode()).isEqualTo(Mode.DIRECT);
        assertThat(DEFAULTS.recording()).isEqualTo(Recording.IDS);
        assertThat(DEFAULTS.identity()).isEqualTo(IdentityPolicy.defaults());
        assertThat(DEFAULTS.retry()).isEqualTo(RetryPolicy.defaults());
        assertThat(DEFAULTS.unknownType()).isEqualTo(UnknownType.PARK);
        assertThat(DEFAULTS.ordering()).isEqualTo(Ordering.NONE);
        assertThat(DEFAULTS.sequence()).isNull();
        assertThat(DEFAULTS.pause()).isNull();
        assertThat(DEFAULTS.limits()).isEqualTo(Limits.defaults());
        assertThat(DEFAULTS.retention()).isEqualTo(Retention.forever());
        assertThat(DEFAULTS.work()).isEqualTo(WorkPolicy.defaults());
        assertThat(DEFAULTS.outgoing()).isEqualTo(OutgoingPolicy.defaults());
        assertThat(DEFAULTS.intents()).isEmpty();
        assertThat(DEFAULTS.replay()).isEqualTo(Replay.FORBIDDEN);
        assertThat(DEFAULTS.alerts()).isEqualTo(Alerts.none());
        assertThat(DEFAULTS.owner()).isNull();
    }

    @ParameterizedTest
    @MethodSource("settings")
    void eachSettingChangesNothingElse(RecordComponent setting) throws ReflectiveOperationException {
        Object other = OTHERS.get(setting.getName());

        // A sequence needs an order.
        ConsumerPolicy before = setting.getName().equals("sequence") ? DEFAULTS.ordering(Ordering.HOLD) : DEFAULTS;
        ConsumerPolicy changed = (ConsumerPolicy) ConsumerPolicy.class
                .getMethod(setting.getName(), setting.getType())
                .invoke(before, other);

        Map<String, Object> expected = valuesOf(before);
        assertThat(expected.put(setting.getName(), other)).isNotEqualTo(other);
        assertThat(valuesOf(changed)).isEqualTo(expected);
    }

    private static Map<String, Object> valuesOf(ConsumerPolicy policy) throws ReflectiveOperationException {
        Map<String, Object> values = new HashMap<>();
        for (RecordComponent each : ConsumerPolicy.class.getRecordComponents()) {
            values.put(each.getName(), each.getAccessor().invoke(policy));
        }
        return values;
    }

    @ParameterizedTest
    @MethodSource("required")
    void nothingMayBeMissing(RecordComponent setting) throws ReflectiveOperationException {
        var with = ConsumerPolicy.class.getMethod(setting.getName(), setting.getType());

        assertThatThrownBy(() -> with.invoke(DEFAULTS, new Object[] {null}))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .isInstanceOf(NullPointerException.class)
                .hasMessage(setting.getName());
    }

    @Test
    void aStrategySetsItsKeysAndBearsItsName() {
        SequencePolicy sequenceNumbers = SequencePolicy.by(SequenceNumber.header("version"));

        assertThat(ConsumerPolicy.inbox())
                .returns(Strategy.INBOX, ConsumerPolicy::strategy)
                .returns(Mode.STORED, ConsumerPolicy::mode)
                .returns(Recording.FULL, ConsumerPolicy::recording)
                .returns(RetryBy.INBOX, policy -> policy.retryBy(false));
        assertThat(ConsumerPolicy.sequenced(sequenceNumbers))
                .returns(Strategy.SEQUENCED, ConsumerPolicy::strategy)
                .returns(Ordering.HOLD, ConsumerPolicy::ordering)
                .returns(sequenceNumbers, ConsumerPolicy::sequence)
                .returns(Mode.DIRECT, ConsumerPolicy::mode);
        assertThat(ConsumerPolicy.effects())
                .returns(Strategy.EFFECTS, ConsumerPolicy::strategy)
                .returns(Mode.STORED, ConsumerPolicy::mode)
                .returns(Recording.FULL, ConsumerPolicy::recording)
                .returns(RetryBy.INBOX, policy -> policy.retryBy(false))
                .returns(Replay.FORBIDDEN, ConsumerPolicy::replay);
        assertThat(Strategy.IDS.keys()).isEqualTo(DEFAULTS);
    }

    @Test
    void whatIsSaidBesideAStrategyCountsInstead() {
        ConsumerPolicy direct = ConsumerPolicy.effects().mode(Mode.DIRECT);

        assertThat(direct.strategy()).isEqualTo(Strategy.EFFECTS);
        assertThat(direct.mode()).isEqualTo(Mode.DIRECT);
        assertThat(direct.recording()).isEqualTo(Recording.FULL);
    }

    @Test
    void whatAStrategyIsForCannotBeTakenAway() {
        ConsumerPolicy sequenced = ConsumerPolicy.sequenced(SequencePolicy.by(SequenceNumber.header("version")));

        assertThatThrownBy(() -> sequenced.sequence(null))
                .hasMessageStartingWith("strategy sequenced needs a sequence");
        assertThatThrownBy(() -> ConsumerPolicy.effects().replay(Replay.ALLOWED))
                .hasMessageStartingWith("replay allowed cannot be used with strategy effects");
        assertThat(ConsumerPolicy.effects().replay(Replay.NO_EFFECTS).replay()).isEqualTo(Replay.NO_EFFECTS);
    }

    /** Findings C6 and C9: the inbox cannot wait for a message that the broker has to deliver again. */
    @Test
    void redeliveryIsRefusedWhereTheInboxKeepsTheOrder() {
        RetryPolicy redelivery = DEFAULTS.retry().by(RetryBy.REDELIVERY);
        assertThatThrownBy(() -> DEFAULTS.ordering(Ordering.HOLD).retry(redelivery))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageStartingWith("retry.by redelivery cannot be used with ordering hold:");
        assertThatThrownBy(() -> DEFAULTS.ordering(Ordering.SKIP_PARKED).retry(redelivery))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageStartingWith("retry.by redelivery cannot be used with ordering skip-parked:");
        assertThatThrownBy(() -> DEFAULTS.mode(Mode.STORED).retry(redelivery))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageStartingWith("retry.by redelivery cannot be used with mode stored");
        assertThat(DEFAULTS.retry(redelivery).retryBy(true)).isEqualTo(RetryBy.REDELIVERY);
    }

    @Test
    void theWayAMessageIsHandledDecidesWhoBringsItAgain() {
        assertThat(DEFAULTS.retryBy(true)).isEqualTo(RetryBy.INBOX);
        assertThat(DEFAULTS.retryBy(false)).isEqualTo(RetryBy.REDELIVERY);
        assertThat(DEFAULTS.ordering(Ordering.HOLD).retryBy(false)).isEqualTo(RetryBy.INBOX);
        assertThat(DEFAULTS.mode(Mode.STORED).retryBy(false)).isEqualTo(RetryBy.INBOX);
        assertThat(DEFAULTS.retry(DEFAULTS.retry().by(RetryBy.INBOX)).retryBy(false))
                .isEqualTo(RetryBy.INBOX);
    }

    @Test
    void anAlertThatCouldNeverComeIsRefused() {
        Alerts gap = Alerts.none().sequenceGap(Duration.ofMinutes(1));
        SequencePolicy sequenceNumbers = SequencePolicy.by(SequenceNumber.header("version"));
        ConsumerPolicy guarded = ConsumerPolicy.sequenced(sequenceNumbers).mode(Mode.STORED);

        assertThat(guarded.alerts(gap).alerts()).isEqualTo(gap);
        assertThatThrownBy(() -> DEFAULTS.alerts(gap)).hasMessageStartingWith("alerts.sequence-gap needs a sequence");
        assertThat(guarded.mode(Mode.DIRECT).alerts(gap).alerts()).isEqualTo(gap);
        assertThatThrownBy(() -> guarded.alerts(gap.sequenceGap(Duration.ofMinutes(5))))
                .hasMessageStartingWith("alerts.sequence-gap (PT5M) must be shorter than sequence.gap-timeout (PT5M)");
    }

    @Test
    void anOwnerIsAFewPrintableWords() {
        assertThat(DEFAULTS.owner("team-billing, pager 7").owner()).isEqualTo("team-billing, pager 7");
        for (String wrong : new String[] {"", " ", "a\nb", "\u001b[31m", "x".repeat(201)}) {
            assertThatThrownBy(() -> DEFAULTS.owner(wrong))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageStartingWith("owner must have 1 to 200 printable characters, was '")
                    .message()
                    .doesNotContain("\n", "\u001b")
                    .hasSizeLessThan(120);
        }
    }

    @Test
    void thresholdsMakeSense() {
        Alerts none = Alerts.none();

        assertThat(none.areOff()).isTrue();
        assertThat(none.parked(1).areOff()).isFalse();
        assertThat(none.parked(3).pendingAge(Duration.ofMinutes(1)).duplicateShare(0.5))
                .isEqualTo(new Alerts(3, Duration.ofMinutes(1), null, 0.5));
        assertThatThrownBy(() -> none.parked(0)).hasMessage("alerts.parked must be between 1 and 10000, was 0");
        assertThatThrownBy(() -> none.parked(10_001))
                .hasMessage("alerts.parked must be between 1 and 10000, was 10001");
        assertThatThrownBy(() -> none.duplicateShare(0.0))
                .hasMessage("alerts.duplicate-share must be above 0 and at most 1, was 0.0");
        assertThatThrownBy(() -> none.duplicateShare(Double.NaN))
                .hasMessageStartingWith("alerts.duplicate-share must be");
        assertThatThrownBy(() -> none.pendingAge(Duration.ofMillis(999)))
                .hasMessage("alerts.pending-age must be at least 1000 ms, was PT0.999S");
        assertThatThrownBy(() -> none.sequenceGap(Duration.ZERO)).hasMessageStartingWith("alerts.sequence-gap must be");
    }
}
