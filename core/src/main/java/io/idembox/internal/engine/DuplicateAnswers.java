// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Receipt;
import io.idembox.policy.OnDuplicate;
import io.idembox.policy.RetryBy;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a delivery is answered when its message was seen before. Pure.
 *
 * <table>
 * <caption>The answer table</caption>
 * <tr><th>the delivery finds</th><th>answer</th></tr>
 * <tr><td>another payload</td><td>conflict: kept as a parked variant, REFUSED</td></tr>
 * <tr><td>no entry</td><td>DUPLICATE with the result</td></tr>
 * <tr><td>RECEIVED, WAITING, FAILED_RETRYABLE of the inbox</td><td>STORED</td></tr>
 * <tr><td>FAILED_RETRYABLE of redelivery</td><td>take it and run</td></tr>
 * <tr><td>RECEIVED of redelivery: another delivery has it under a lease</td><td>BUSY</td></tr>
 * <tr><td>FAILED_TERMINAL, PARKED</td><td>FAILED with the error</td></tr>
 * <tr><td>DISCARDED</td><td>DUPLICATE</td></tr>
 * </table>
 */
final class DuplicateAnswers {

    /** What to do with the delivery. */
    enum Step {
        ANSWER,
        TAKE,
        CONFLICT
    }

    /** @param receipt the answer; null unless the step is ANSWER */
    record Decision(Step step, @Nullable Receipt receipt) {

        static Decision answer(Receipt receipt) {
            return new Decision(Step.ANSWER, receipt);
        }
    }

    private static final Decision TAKE = new Decision(Step.TAKE, null);
    private static final Decision CONFLICT = new Decision(Step.CONFLICT, null);

    private DuplicateAnswers() {}

    static Decision to(UUID variant, LedgerMatch match, OnDuplicate onDuplicate) {
        if (!match.variant().equals(variant)) {
            return CONFLICT;
        }
        LedgerMatch.Unfinished entry = match.entry();
        if (entry == null) {
            return Decision.answer(Receipt.duplicate(onDuplicate == OnDuplicate.SKIP ? null : match.result()));
        }
        boolean redelivery = entry.owner() == RetryBy.REDELIVERY;
        return switch (entry.state()) {
            case RECEIVED ->
                Decision.answer(
                        redelivery
                                ? Receipt.busy("another delivery of it is being handled", Duration.ofSeconds(1))
                                : Receipt.stored());
            case WAITING -> Decision.answer(Receipt.stored());
            case FAILED_RETRYABLE -> redelivery ? TAKE : Decision.answer(Receipt.stored());
            case FAILED_TERMINAL, PARKED -> Decision.answer(failed(entry));
            case DISCARDED -> Decision.answer(Receipt.duplicate(null));
        };
    }

    static Receipt failed(LedgerMatch.Unfinished entry) {
        return Receipt.failed(failureOf(entry));
    }

    private static Failure failureOf(LedgerMatch.Unfinished entry) {
        Failure failure = entry.failure();
        return failure != null
                ? failure
                : ErrorText.refusal(Failure.Kind.PARK, entry.state().name(), "The error of this message was not kept");
    }
}
