// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceiptTest {

    private static final Failure FAILURE = new Failure(Failure.Kind.PERMANENT, "SomeError", "23505", "it broke", null);

    @Test
    void whatIsCommittedAcknowledges() {
        assertThat(List.of(
                        Receipt.completed(null),
                        Receipt.duplicate(null),
                        Receipt.stored(),
                        Receipt.failed(FAILURE),
                        Receipt.refused("gone, by your word", true)))
                .allMatch(Receipt::acknowledges)
                .extracting(Receipt::kind)
                .containsExactly(
                        Receipt.Kind.COMPLETED,
                        Receipt.Kind.DUPLICATE,
                        Receipt.Kind.STORED,
                        Receipt.Kind.FAILED,
                        Receipt.Kind.REFUSED);
    }

    @Test
    void whatHasToComeAgainDoesNot() {
        assertThat(List.of(
                        Receipt.busy("elsewhere"),
                        Receipt.failedUntilRedelivery(FAILURE, Duration.ofSeconds(1)),
                        Receipt.refused("too large", false)))
                .noneMatch(Receipt::acknowledges)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.BUSY, Receipt.Kind.FAILED, Receipt.Kind.REFUSED);
    }

    @Test
    void resultsAreGivenNowAndAgain() {
        Payload result = Payload.json("{}");

        assertThat(Receipt.completed(result).result()).contains(result);
        assertThat(Receipt.duplicate(result).result()).contains(result);
        assertThat(Receipt.completed(null).result()).isEmpty();
        assertThat(Receipt.stored().result()).isEmpty();
    }

    @Test
    void failuresSayWhyAndWhen() {
        Receipt again = Receipt.failedUntilRedelivery(FAILURE, Duration.ofSeconds(5));

        assertThat(again.failure()).contains(FAILURE);
        assertThat(again.reason()).contains("it broke");
        assertThat(again.retryAfter()).contains(Duration.ofSeconds(5));
        assertThat(Receipt.failed(FAILURE).failure()).contains(FAILURE);
        assertThat(Receipt.failed(FAILURE).retryAfter()).isEmpty();
    }

    @Test
    void whatHasToComeAgainSaysWhen() {
        assertThat(Receipt.busy("elsewhere").retryAfter()).contains(Duration.ofMillis(100));
        assertThat(Receipt.refused("no id", false).retryAfter()).contains(Duration.ofSeconds(1));
        assertThat(Receipt.refused("no id, dropped", true).retryAfter()).isEmpty();
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without a checker may do
    void failuresAreSummedUpInALine() {
        assertThat(FAILURE.summary()).isEqualTo("SomeError [23505]: it broke");
        assertThat(new Failure(Failure.Kind.PARK, "RULE", null, "no", null).summary())
                .isEqualTo("RULE: no");
        assertThatNullPointerException()
                .isThrownBy(() -> new Failure(null, "RULE", null, "no", null))
                .withMessage("kind");
        assertThatNullPointerException()
                .isThrownBy(() -> new Failure(Failure.Kind.PARK, null, null, "no", null))
                .withMessage("errorClass");
        assertThatNullPointerException()
                .isThrownBy(() -> new Failure(Failure.Kind.PARK, "RULE", null, null, null))
                .withMessage("message");
    }

    @Test
    void areNamedByKindAndReason() {
        assertThat(Receipt.completed(Payload.json("\"secret\""))).hasToString("COMPLETED");
        assertThat(Receipt.busy("elsewhere")).hasToString("BUSY (elsewhere)");
        assertThat(Receipt.failed(FAILURE)).hasToString("FAILED (it broke)");
    }
}
