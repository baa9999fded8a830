// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    private static final Set<String> OPTIONAL = Set.of("sequence", "pause");

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
            SequencePolicy.by(Sequence.header("version")),
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
            Map.of("charge", IntentPolicy.defaults()));

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

    static Stream<RecordComponent> settings() {
        return Stream.of(ConsumerPolicy.class.getRecordComponents());
    }

    @Test
    void defaultsHandleAtOnceKeepMarksAndParkWhatNobodyKnows() {
        assertThat(DEFAULTS.mode()).isEqualTo(Mode.DIRECT);
        assertThat(DEFAULTS.recording()).isEqualTo(Recording.MARKS);
        assertThat(DEFAULTS.identity()).isEqualTo(IdentityPolicy.defaults());
        assertThat(DEFAULTS.retry()).isEqualTo(RetryPolicy.defaults());
        assertThat(DEFAULTS.unknownType()).isEqualTo(UnknownType.PARK);
        assertThat(DEFAULTS.ordering()).isEqualTo(Ordering.NONE);
        assertThat(DEFAULTS.sequence()).isNull();
        assertThat(DEFAULTS.pause()).isNull();
        assertThat(DEFAULTS.limits()).isEqualTo(Limits.defaults());
        assertThat(DEFAULTS.retention()).isEqualTo(Retention.forEver());
        assertThat(DEFAULTS.work()).isEqualTo(WorkPolicy.defaults());
        assertThat(DEFAULTS.outgoing()).isEqualTo(OutgoingPolicy.defaults());
        assertThat(DEFAULTS.intents()).isEmpty();
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
}
