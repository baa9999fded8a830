// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ConsumerPolicyTest {

    private static final Identity HEADER = Identity.headers("event-id");
    private static final IdentityPolicy BY_HEADER = IdentityPolicy.by(HEADER);
    private static final RetryPolicy TWICE = RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO);
    private static final Limits SMALL = new Limits(10, 10, 10);
    private static final WorkPolicy FEW = WorkPolicy.defaults().workers(1);

    @Test
    void defaultsKeepMarksAndParkWhatNobodyKnows() {
        assertThat(ConsumerPolicy.defaults())
                .isEqualTo(new ConsumerPolicy(
                        Mode.DIRECT,
                        Recording.MARKS,
                        IdentityPolicy.defaults(),
                        RetryPolicy.defaults(),
                        UnknownType.PARK,
                        Limits.defaults(),
                        WorkPolicy.defaults()));
    }

    @Test
    void eachSettingChangesNothingElse() {
        ConsumerPolicy changed = ConsumerPolicy.defaults()
                .recording(Recording.FULL)
                .identity(BY_HEADER)
                .retry(TWICE)
                .unknownType(UnknownType.FAIL)
                .limits(SMALL)
                .mode(Mode.STORED)
                .work(FEW);

        assertThat(changed)
                .isEqualTo(new ConsumerPolicy(
                        Mode.STORED, Recording.FULL, BY_HEADER, TWICE, UnknownType.FAIL, SMALL, FEW));
        assertThat(changed.recording(Recording.MARKS))
                .isEqualTo(new ConsumerPolicy(
                        Mode.STORED, Recording.MARKS, BY_HEADER, TWICE, UnknownType.FAIL, SMALL, FEW));
        assertThat(ConsumerPolicy.defaults().limits(SMALL))
                .isEqualTo(new ConsumerPolicy(
                        Mode.DIRECT,
                        Recording.MARKS,
                        IdentityPolicy.defaults(),
                        RetryPolicy.defaults(),
                        UnknownType.PARK,
                        SMALL,
                        WorkPolicy.defaults()));
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without a checker may do
    void nothingMayBeMissing() {
        ConsumerPolicy policy = ConsumerPolicy.defaults();

        assertThatNullPointerException()
                .isThrownBy(() -> policy.recording(null))
                .withMessage("recording");
        assertThatNullPointerException().isThrownBy(() -> policy.identity(null)).withMessage("identity");
        assertThatNullPointerException().isThrownBy(() -> policy.retry(null)).withMessage("retry");
        assertThatNullPointerException()
                .isThrownBy(() -> policy.unknownType(null))
                .withMessage("unknownType");
        assertThatNullPointerException().isThrownBy(() -> policy.limits(null)).withMessage("limits");
    }

    @Nested
    class OfIdentity {

        @Test
        void defaultsParkWithoutIdAndCompareAllBytes() {
            IdentityPolicy defaults = IdentityPolicy.defaults();

            assertThat(defaults.missing()).isEqualTo(MissingId.PARK);
            assertThat(defaults.fingerprint()).isSameAs(Fingerprint.ofBytes());
            assertThat(defaults.previousIfAny()).isEmpty();
        }

        @Test
        void eachSettingChangesNothingElse() {
            Identity older = Identity.ofMessage();

            IdentityPolicy changed =
                    BY_HEADER.replacing(older).missing(MissingId.DERIVE).fingerprint(Fingerprint.off());

            assertThat(changed).isEqualTo(new IdentityPolicy(HEADER, older, MissingId.DERIVE, Fingerprint.off()));
            assertThat(changed.previousIfAny()).containsSame(older);
            assertThat(BY_HEADER).isEqualTo(new IdentityPolicy(HEADER, null, MissingId.PARK, Fingerprint.ofBytes()));
        }

        @Test
        @SuppressWarnings("NullAway") // what a caller without a checker may do
        void onlyTheOlderStrategyMayBeMissing() {
            assertThatNullPointerException()
                    .isThrownBy(() -> IdentityPolicy.by(null))
                    .withMessage("strategy");
            assertThatNullPointerException()
                    .isThrownBy(() -> BY_HEADER.missing(null))
                    .withMessage("missing");
            assertThatNullPointerException()
                    .isThrownBy(() -> BY_HEADER.fingerprint(null))
                    .withMessage("fingerprint");
        }
    }
}
