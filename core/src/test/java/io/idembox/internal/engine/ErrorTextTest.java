// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.idembox.Failure;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorTextTest {

    private static final String SECRET = "4111-1111";

    private final ErrorText errors = new ErrorText(error -> "primary of " + error.getSQLState());

    @Nested
    class Messages {

        @Test
        void ofPlainErrorsAreTheirOwn() {
            Failure failure = describe(new IllegalStateException("no stock"));

            assertThat(failure.kind()).isEqualTo(Failure.Kind.TRANSIENT);
            assertThat(failure.errorClass()).isEqualTo("java.lang.IllegalStateException");
            assertThat(failure.message()).isEqualTo("no stock");
            assertThat(failure.sqlStateIfAny()).isEmpty();
        }

        @Test
        void ofDatabaseErrorsAreThePrimaryOnes() {
            Failure failure = describe(new SQLException("Detail: " + SECRET, "23505"));

            assertThat(failure.message()).isEqualTo("primary of 23505");
            assertThat(failure.sqlStateIfAny()).contains("23505");
            assertThat(failure.errorClass()).isEqualTo("java.sql.SQLException");
        }

        @Test
        void ofWrappersAreThoseOfTheDatabaseErrorBehindThem() {
            SQLException error = new SQLException(SECRET, "23505");

            Failure failure = describe(new IllegalStateException("insert " + SECRET, new IOException(SECRET, error)));

            assertThat(failure.message()).isEqualTo("primary of 23505");
            assertThat(failure.sqlStateIfAny()).contains("23505");
            assertThat(failure.errorClass()).isEqualTo("java.lang.IllegalStateException");
            assertThat(failure.toString()).doesNotContain(SECRET);
        }

        @Test
        void mayBeMissing() {
            assertThat(describe(new IllegalStateException()).message()).isNotNull();
            assertThat(describe(new SQLException()).sqlStateIfAny()).isEmpty();
        }

        @Test
        void areBounded() {
            assertThat(describe(new IllegalStateException("x".repeat(2_000))).message())
                    .hasSize(2_000);
            assertThat(describe(new IllegalStateException("x".repeat(2_001))).message())
                    .hasSize(2_000);
            assertThat(describe(new IllegalStateException("x".repeat(1_000_000)))
                            .message())
                    .hasSize(2_000);
            assertThat(ErrorText.refusal(Failure.Kind.PARK, "RULE", "x".repeat(5_000))
                            .message())
                    .hasSize(2_000);
        }

        @Test
        void arePrintable() {
            assertThat(describe(new IllegalStateException("a\0b\u001b[31mc")).message())
                    .isEqualTo("a�b�[31mc");
        }
    }

    @Nested
    class PrintableText {

        @ParameterizedTest
        @ValueSource(strings = {"", "plain", "two\nlines", "größe €", "😀 pair", "\u00a0\u2028"})
        void staysAsItIs(String text) {
            assertThat(ErrorText.printable(text, 100)).isEqualTo(text);
        }

        @ParameterizedTest
        @ValueSource(chars = {0, 1, 8, '\t', '\r', 0x1b, 0x7f, 0x80, 0x9f})
        void hasNoControlCharacters(char control) {
            assertThat(ErrorText.printable("a" + control + "b", 100)).isEqualTo("a�b");
        }

        @Test
        void hasNoHalfOfAPair() {
            assertThat(ErrorText.printable("a\ud83db", 100)).isEqualTo("a�b");
            assertThat(ErrorText.printable("a\ude00b", 100)).isEqualTo("a�b");
            assertThat(ErrorText.printable("\ude00\ud83d", 100)).isEqualTo("��");
            assertThat(ErrorText.printable("a\ud83d", 100)).isEqualTo("a�");
            assertThat(ErrorText.printable("\ud7ff\ud800 \udfff\ue000", 100)).isEqualTo("\ud7ff� �\ue000");
        }

        @Test
        void isCutBetweenCharacters() {
            assertThat(ErrorText.printable("abc", 2)).isEqualTo("ab");
            assertThat(ErrorText.printable("a😀b", 2)).isEqualTo("a😀");
            assertThat(ErrorText.printable("abc", 0)).isEmpty();
        }

        @Test
        void ofNothingIsEmpty() {
            assertThat(ErrorText.printable(null, 10)).isEmpty();
        }
    }

    @Nested
    class Stacks {

        @Test
        void nameClassesAndPlaces() {
            Throwable thrown = new IllegalStateException("a", new IOException("b"));

            assertThat(stackOf(thrown))
                    .startsWith("java.lang.IllegalStateException\n  at " + ErrorTextTest.class.getName())
                    .contains("caused by java.io.IOException\n  at ")
                    .contains("ErrorTextTest.java:");
        }

        @Test
        void quoteNoMessages() {
            Throwable thrown = new IllegalStateException(
                    SECRET, new IOException(SECRET, new SQLException("Key (card)=(" + SECRET + ")", "23505")));
            thrown.addSuppressed(new IOException(SECRET));

            assertThat(stackOf(thrown)).doesNotContain(SECRET).contains("java.sql.SQLException");
        }

        @Test
        void haveAtMostFifteenFramesEach() {
            Throwable thrown = new IllegalStateException();
            StackTraceElement[] frames = new StackTraceElement[1_000];
            Arrays.fill(frames, new StackTraceElement("C", "m", "C.java", 1));
            thrown.setStackTrace(frames);

            assertThat(stackOf(thrown).lines()).hasSize(16);
        }

        @Test
        void areBounded() {
            Throwable thrown = new IllegalStateException();
            for (int i = 0; i < 1_000; i++) {
                thrown = new IllegalStateException(thrown);
            }

            assertThat(stackOf(thrown)).hasSize(8_000);
        }

        @Test
        void ofCausesInACircleEnd() {
            Exception one = new IllegalStateException("one");
            Exception two = new IOException("two", one);
            one.initCause(two);

            assertTimeoutPreemptively(
                    Duration.ofSeconds(10),
                    () -> assertThat(stackOf(one))
                            .containsOnlyOnce("IllegalState")
                            .containsOnlyOnce("IOException"));
        }

        @Test
        void mayBeEmpty() {
            Throwable thrown = new IllegalStateException();
            thrown.setStackTrace(new StackTraceElement[0]);

            assertThat(stackOf(thrown)).isEqualTo("java.lang.IllegalStateException\n");
        }

        private String stackOf(Throwable thrown) {
            String stack = describe(thrown).stackTrace();
            assertThat(stack).isNotNull();
            return stack;
        }
    }

    @Test
    void refusalsHaveNoStack() {
        Failure refusal = ErrorText.refusal(Failure.Kind.PARK, "OVER_LIMIT", "too\0large");

        assertThat(refusal).isEqualTo(new Failure(Failure.Kind.PARK, "OVER_LIMIT", null, "too�large", null));
    }

    private Failure describe(Throwable thrown) {
        return errors.describe(Failure.Kind.TRANSIENT, thrown);
    }
}
