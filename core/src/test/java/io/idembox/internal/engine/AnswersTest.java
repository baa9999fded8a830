// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Failure;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.policy.RetryBy;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The answer table, row by row. */
class AnswersTest {

    private static final UUID OTHER = new UUID(3, 4);
    private static final Failure FAILURE = Samples.failure(Failure.Kind.PERMANENT);

    @ParameterizedTest
    @CsvSource({
        "RECEIVED,         INBOX,      false, STORED",
        "RECEIVED,         INBOX,      true,  STORED",
        "RECEIVED,         REDELIVERY, false, STORED",
        "RECEIVED,         REDELIVERY, true,  STORED",
        "WAITING,          INBOX,      false, STORED",
        "WAITING,          INBOX,      true,  STORED",
        "WAITING,          REDELIVERY, false, STORED",
        "WAITING,          REDELIVERY, true,  STORED",
        "IN_PROGRESS,      INBOX,      false, STORED",
        "IN_PROGRESS,      INBOX,      true,  STORED",
        "IN_PROGRESS,      REDELIVERY, true,  BUSY",
        "FAILED_RETRYABLE, INBOX,      false, STORED",
        "FAILED_RETRYABLE, INBOX,      true,  STORED",
        "FAILED_TERMINAL,  INBOX,      false, FAILED",
        "FAILED_TERMINAL,  INBOX,      true,  FAILED",
        "FAILED_TERMINAL,  REDELIVERY, false, FAILED",
        "FAILED_TERMINAL,  REDELIVERY, true,  FAILED",
        "PARKED,           INBOX,      false, FAILED",
        "PARKED,           INBOX,      true,  FAILED",
        "PARKED,           REDELIVERY, false, FAILED",
        "PARKED,           REDELIVERY, true,  FAILED",
        "DISCARDED,        INBOX,      false, DUPLICATE",
        "DISCARDED,        INBOX,      true,  DUPLICATE",
        "DISCARDED,        REDELIVERY, false, DUPLICATE",
        "DISCARDED,        REDELIVERY, true,  DUPLICATE",
    })
    void theSamePayloadIsAnswered(EntryState state, RetryBy owner, boolean leased, Receipt.Kind expected) {
        Answers.Decision decision = Answers.to(Samples.VARIANT, entry(state, owner, leased, FAILURE));

        assertThat(decision.step()).isEqualTo(Answers.Step.ANSWER);
        assertThat(decision.receipt()).extracting(Receipt::kind).isEqualTo(expected);
        assertThat(decision.receipt()).extracting(Receipt::acknowledges).isEqualTo(expected != Receipt.Kind.BUSY);
    }

    @ParameterizedTest
    @CsvSource({
        "FAILED_RETRYABLE, false",
        "FAILED_RETRYABLE, true",
        "IN_PROGRESS,      false",
    })
    void whatRedeliveryOwnsAndNobodyHoldsIsTaken(EntryState state, boolean leased) {
        Answers.Decision decision = Answers.to(Samples.VARIANT, entry(state, RetryBy.REDELIVERY, leased, FAILURE));

        assertThat(decision.step()).isEqualTo(Answers.Step.TAKE);
        assertThat(decision.receipt()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void anotherPayloadIsAConflictInEveryState(EntryState state) {
        for (RetryBy owner : RetryBy.values()) {
            for (boolean leased : new boolean[] {false, true}) {
                Answers.Decision decision = Answers.to(OTHER, entry(state, owner, leased, FAILURE));

                assertThat(decision.step()).isEqualTo(Answers.Step.CONFLICT);
                assertThat(decision.receipt()).isNull();
            }
        }
    }

    @Test
    void anotherPayloadIsAConflictWhenTheFirstIsDone() {
        assertThat(Answers.to(OTHER, done(null)).step()).isEqualTo(Answers.Step.CONFLICT);
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
        Receipt receipt = receiptOf(entry(state, RetryBy.REDELIVERY, false, FAILURE));

        assertThat(receipt.failure()).contains(FAILURE);
    }

    @ParameterizedTest
    @EnumSource(names = {"FAILED_TERMINAL", "PARKED"})
    void whatFailedIsAnsweredEvenIfItsErrorIsGone(EntryState state) {
        Receipt receipt = receiptOf(entry(state, RetryBy.REDELIVERY, false, null));

        assertThat(receipt.failure()).map(Failure::errorClass).contains(state.name());
        assertThat(receipt.reason()).isPresent();
    }

    private static Receipt receiptOf(Existing existing) {
        Receipt receipt = Answers.to(Samples.VARIANT, existing).receipt();
        assertThat(receipt).isNotNull();
        return receipt;
    }

    private static Existing done(@Nullable Payload result) {
        return new Existing(0, 2_048, Samples.VARIANT, null, result);
    }

    private static Existing entry(EntryState state, RetryBy owner, boolean leased, @Nullable Failure failure) {
        return new Existing(0, 2_048, Samples.VARIANT, new Existing.Unfinished(state, owner, leased, failure), null);
    }
}
