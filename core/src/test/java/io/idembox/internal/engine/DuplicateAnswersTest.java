// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Failure;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.policy.OnDuplicate;
import io.idembox.policy.RetryBy;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The answer table, row by row. */
class DuplicateAnswersTest {

    private static final UUID OTHER = new UUID(3, 4);
    private static final Failure FAILURE = Samples.failure(Failure.Kind.PERMANENT);

    @ParameterizedTest
    @CsvSource({
        "RECEIVED,         INBOX,      STORED",
        "RECEIVED,         REDELIVERY, BUSY",
        "WAITING,          INBOX,      STORED",
        "WAITING,          REDELIVERY, STORED",
        "FAILED_RETRYABLE, INBOX,      STORED",
        "FAILED_TERMINAL,  INBOX,      FAILED",
        "FAILED_TERMINAL,  REDELIVERY, FAILED",
        "PARKED,           INBOX,      FAILED",
        "PARKED,           REDELIVERY, FAILED",
        "DISCARDED,        INBOX,      DUPLICATE",
        "DISCARDED,        REDELIVERY, DUPLICATE",
    })
    void theSamePayloadIsAnswered(EntryState state, RetryBy owner, Receipt.Kind expected) {
        DuplicateAnswers.Decision decision =
                DuplicateAnswers.to(Samples.VARIANT, entry(state, owner, FAILURE), OnDuplicate.RESULT);

        assertThat(decision.step()).isEqualTo(DuplicateAnswers.Step.ANSWER);
        assertThat(decision.receipt()).extracting(Receipt::kind).isEqualTo(expected);
        assertThat(decision.receipt()).extracting(Receipt::acknowledges).isEqualTo(expected != Receipt.Kind.BUSY);
    }

    @Test
    void whatFailedAndRedeliveryOwnsIsTaken() {
        DuplicateAnswers.Decision decision = DuplicateAnswers.to(
                Samples.VARIANT, entry(EntryState.FAILED_RETRYABLE, RetryBy.REDELIVERY, FAILURE), OnDuplicate.RESULT);

        assertThat(decision.step()).isEqualTo(DuplicateAnswers.Step.TAKE);
        assertThat(decision.receipt()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void anotherPayloadIsAConflictInEveryState(EntryState state) {
        for (RetryBy owner : RetryBy.values()) {
            DuplicateAnswers.Decision decision =
                    DuplicateAnswers.to(OTHER, entry(state, owner, FAILURE), OnDuplicate.RESULT);

            assertThat(decision.step()).isEqualTo(DuplicateAnswers.Step.CONFLICT);
            assertThat(decision.receipt()).isNull();
        }
    }

    @Test
    void anotherPayloadIsAConflictWhenTheFirstIsDone() {
        assertThat(DuplicateAnswers.to(OTHER, done(null), OnDuplicate.RESULT).step())
                .isEqualTo(DuplicateAnswers.Step.CONFLICT);
    }

    @Test
    void whatIsDoneIsADuplicateWithItsResult() {
        Payload result = Payload.json("{\"charged\":true}");

        assertThat(receiptOf(done(result)).kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(receiptOf(done(result)).result()).contains(result);
        assertThat(receiptOf(done(null)).kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(receiptOf(done(null)).result()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"FAILED_TERMINAL", "PARKED"})
    void whatFailedSaysWhy(EntryState state) {
        Receipt receipt = receiptOf(entry(state, RetryBy.REDELIVERY, FAILURE));

        assertThat(receipt.failure()).contains(FAILURE);
    }

    @ParameterizedTest
    @EnumSource(names = {"FAILED_TERMINAL", "PARKED"})
    void whatFailedIsAnsweredEvenIfItsErrorIsGone(EntryState state) {
        Receipt receipt = receiptOf(entry(state, RetryBy.REDELIVERY, null));

        assertThat(receipt.failure()).map(Failure::errorClass).contains(state.name());
        assertThat(receipt.reason()).isPresent();
    }

    private static Receipt receiptOf(LedgerMatch match) {
        Receipt receipt =
                DuplicateAnswers.to(Samples.VARIANT, match, OnDuplicate.RESULT).receipt();
        assertThat(receipt).isNotNull();
        return receipt;
    }

    private static LedgerMatch done(@Nullable Payload result) {
        return new LedgerMatch(0, 2_048, Samples.VARIANT, null, result);
    }

    private static LedgerMatch entry(EntryState state, RetryBy owner, @Nullable Failure failure) {
        return new LedgerMatch(0, 2_048, Samples.VARIANT, new LedgerMatch.Unfinished(state, owner, failure), null);
    }
}
