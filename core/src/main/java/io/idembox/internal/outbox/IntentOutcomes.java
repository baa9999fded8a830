// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.outbox;

import io.idembox.Failure;
import io.idembox.intent.SendResult;
import io.idembox.internal.engine.ErrorText;
import io.idembox.internal.engine.FailureOutcome;
import io.idembox.internal.engine.FailureRules;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.OnUnknown;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is made of an intent that is not done. Pure.
 *
 * <p>What decides is what is known: after a certain no it may be tried again; when nobody knows, a reconciler is asked first, or
 * the provider's promise to honour the key makes another try safe, or somebody accepted the risk by name. Otherwise a human
 * has to look.
 */
final class IntentOutcomes {

    /** The reason on the entry, and the error class of the attempt. */
    static final String UNKNOWN = "UNKNOWN";

    /** The error class of an attempt that asked the provider and is none the wiser: nothing was sent. */
    static final String STILL_UNKNOWN = "STILL_UNKNOWN";

    static final String KEY_EXPIRED = "KEY_EXPIRED";

    private final IntentPolicy policy;
    private final FailureRules rules;
    private final boolean reconciles;

    IntentOutcomes(IntentPolicy policy, FailureRules rules, boolean reconciles) {
        this.policy = policy;
        this.rules = rules;
        this.reconciles = reconciles;
    }

    /** What an intent that is in doubt, and cannot be reconciled, may do. */
    enum Doubt {
        SEND,
        SEND_WITHOUT_DOUBT,
        PARK
    }

    /** @param redriven whether a human looked at it since, and wants it done */
    Doubt inDoubt(boolean redriven) {
        if (policy.onUnknown() != OnUnknown.PARK) {
            return Doubt.SEND;
        }
        return redriven ? Doubt.SEND_WITHOUT_DOUBT : Doubt.PARK;
    }

    /**
     * Whether the provider may have forgotten the key before a call that begins then has ended.
     *
     * @param first when it was first tried: then the provider may have heard of the key
     */
    boolean isKeyExpired(Instant first, Instant at) {
        Duration lifetime = policy.keyLifetime();
        return lifetime != null && !at.plus(policy.work().maxProcessing()).isBefore(first.plus(lifetime));
    }

    FailureOutcome retry(SendResult.Retry retry, int failuresBefore) {
        return rules.outcomeOf(
                ErrorText.refusal(Failure.Kind.TRANSIENT, "RETRY", retry.why()), failuresBefore, retry.pause());
    }

    FailureOutcome failed(SendResult.Failed failed) {
        return FailureOutcome.failed(ErrorText.refusal(Failure.Kind.PERMANENT, "FAILED", failed.why()));
    }

    /** Why nobody knows whether a try did it. */
    static Failure doubt(String why) {
        return ErrorText.refusal(Failure.Kind.TRANSIENT, UNKNOWN, why);
    }

    /** Why nobody knows after the provider was asked. */
    static Failure stillInDoubt(String why) {
        return ErrorText.refusal(Failure.Kind.TRANSIENT, STILL_UNKNOWN, why);
    }

    /** Nobody knows: asked or tried again later, or set aside. */
    FailureOutcome unknown(
            Failure doubt, int failuresBefore, @Nullable Duration askedPause, Instant first, Instant now) {
        if (!reconciles && policy.onUnknown() == OnUnknown.PARK) {
            return parked(
                    ErrorText.sentence(doubt.message())
                            + " Whether it was done is not known, and the policy says to leave that to a human"
                            + " (intent.on-unknown: park). Find out at the provider: if it was done, discard it; if not, redrive it.");
        }
        FailureOutcome next = rules.outcomeOf(doubt, failuresBefore, askedPause);
        Duration pause = next.retryAfter();
        if (pause == null) {
            return parked(ErrorText.sentence(doubt.message())
                    + " Whether it was done is not known, and all tries are used up. Find out at the provider: if"
                    + " it was done, discard it; if not, redrive it.");
        }
        if (!reconciles && isKeyExpired(first, now.plus(pause))) {
            return keyExpired();
        }
        return FailureOutcome.retryAfter(pause, UNKNOWN, doubt);
    }

    static FailureOutcome parked(String why) {
        return FailureOutcome.parked(UNKNOWN, ErrorText.refusal(Failure.Kind.PARK, UNKNOWN, why));
    }

    FailureOutcome keyExpired() {
        return FailureOutcome.parked(
                KEY_EXPIRED,
                ErrorText.refusal(
                        Failure.Kind.PARK,
                        KEY_EXPIRED,
                        "It was tried longer ago than the provider honours its key (intent.key-lifetime "
                                + policy.keyLifetime()
                                + "): another try could do it twice. It is parked and is not tried again, not"
                                + " even by a redrive. Find out at the provider whether it was done, then discard it, and if it was not,"
                                + " do it under a new key."));
    }
}
