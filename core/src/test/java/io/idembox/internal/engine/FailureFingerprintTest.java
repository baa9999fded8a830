// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Failure;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureFingerprintTest {

    private static final ErrorText TEXT = new ErrorText(Throwable::getMessage);

    private static UUID groupOf(Throwable thrown) {
        return FailureFingerprint.of(TEXT.describe(Failure.Kind.TRANSIENT, thrown));
    }

    private static RuntimeException at(
            String type, String method, int line, String message, @Nullable Throwable cause) {
        RuntimeException thrown = new IllegalStateException(message, cause);
        thrown.setStackTrace(new StackTraceElement[] {
            new StackTraceElement("java.util.Objects", "requireNonNull", "Objects.java", 1),
            new StackTraceElement("io.idembox.internal.engine.HandlerCall", "run", "HandlerCall.java", 7),
            new StackTraceElement(type, method, "Shop.java", line),
            new StackTraceElement("shop.Main", "main", "Main.java", 3)
        });
        return thrown;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "order 17 is closed | order 4711 is closed",
                "no account 'anna' | no account 'bob'",
                "no \"a b\" here | no \"c\" here",
                "key 2f1c9a7e-31a4-4f0e-9a0b-0a1b2c3d4e5f is gone | key 00000000-0000-0000-0000-000000000000 is gone",
                "token deadbeef01 expired | token 0badc0ffee9 expired"
            })
    void whatChangesFromMessageToMessageDoesNotCount(String one, String other) {
        assertThat(groupOf(at("shop.Orders", "close", 10, one, null)))
                .isEqualTo(groupOf(at("shop.Orders", "close", 10, other, null)));
    }

    @Test
    void placesMoveWithinAMethod() {
        assertThat(groupOf(at("shop.Orders", "close", 10, "no", null)))
                .isEqualTo(groupOf(at("shop.Orders", "close", 99, "no", null)));
        assertThat(groupOf(at("shop.Orders$$Lambda/0x0000a1", "lambda$main$1", 1, "no", null)))
                .isEqualTo(groupOf(at("shop.Orders$$Lambda/0x0000b2", "lambda$main$7", 1, "no", null)));
    }

    @Test
    void wordsPlacesExceptionsAndCausesCount() {
        UUID group = groupOf(at("shop.Orders", "close", 10, "no", null));

        assertThat(groupOf(at("shop.Orders", "close", 10, "never", null))).isNotEqualTo(group);
        assertThat(groupOf(at("shop.Orders", "open", 10, "no", null))).isNotEqualTo(group);
        assertThat(groupOf(at("shop.Stock", "close", 10, "no", null))).isNotEqualTo(group);
        assertThat(groupOf(at("shop.Orders", "close", 10, "no", new ArithmeticException())))
                .isNotEqualTo(group);
    }

    @Test
    void whatNoExceptionIsBehindIsGroupedByItsWords() {
        Failure one = ErrorText.refusal(Failure.Kind.PARK, "UNKNOWN", "no answer within 1000 ms");
        Failure other = ErrorText.refusal(Failure.Kind.PARK, "UNKNOWN", "no answer within 1500 ms");

        assertThat(FailureFingerprint.of(one)).isEqualTo(FailureFingerprint.of(other));
    }

    /** It is kept in databases: another version of the library has to find the same one. */
    @Test
    void theSameInEveryVersion() {
        assertThat(groupOf(at("shop.Orders", "close", 10, "order 17 is closed", null)))
                .isEqualTo(UUID.fromString("6f226f13-469d-e068-553a-461f9cf6ec9b"));
    }

    @Test
    void aTitleSaysWhatAllOfThemSay() {
        assertThat(FailureFingerprint.title("shop.ClosedException", "order 17 of 'anna' is closed"))
                .isEqualTo("shop.ClosedException: order # of '#' is closed");
        assertThat(FailureFingerprint.title("x.Y", "")).isEqualTo("x.Y");
        assertThat(FailureFingerprint.title("x.Y", "a ".repeat(500))).hasSizeLessThan(210);
    }
}
