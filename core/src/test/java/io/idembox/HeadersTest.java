// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Headers.Header;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class HeadersTest {

    @Nested
    class Lookup {

        private final Headers headers =
                Headers.none().with("Trace-Id", "1").with("other", "x").with("TRACE-ID", "2");

        @Test
        void doesNotRegardCase() {
            assertThat(headers.text("trace-id")).contains("2");
            assertThat(headers.text("Trace-Id")).contains("2");
            assertThat(headers.text("OTHER")).contains("x");
        }

        @Test
        void takesTheLastOfAName() {
            assertThat(headers.with("trace-id", "3").text("Trace-Id")).contains("3");
            assertThat(headers.with("trace-id", "").text("Trace-Id")).contains("");
        }

        @Test
        void findsWholeNamesOnly() {
            assertThat(headers.text("trace")).isEmpty();
            assertThat(headers.text("")).isEmpty();
            assertThat(Headers.none().text("trace-id")).isEmpty();
        }

        @Test
        void readsUtf8() {
            assertThat(Headers.of(List.of(Header.of("a", "é😀".getBytes(StandardCharsets.UTF_8))))
                            .text("a"))
                    .contains("é😀");
        }
    }

    @Nested
    class Immutability {

        @Test
        void copiesTheListOnItsWayIn() {
            List<Header> given = new ArrayList<>(List.of(Header.of("a", "1")));
            Headers headers = Headers.of(given);

            given.clear();

            assertThat(headers.all()).containsExactly(Header.of("a", "1"));
        }

        @Test
        void givesAListNobodyCanChange() {
            assertThat(Headers.of(List.of(Header.of("a", "1"))).all()).isUnmodifiable();
            assertThat(Headers.none().with("a", "1").all()).isUnmodifiable();
            assertThat(Headers.none().all()).isUnmodifiable();
        }

        @Test
        void copiesValuesOnTheirWayIn() {
            byte[] given = {1, 2};
            Header header = Header.of("a", given);

            given[0] = 9;

            assertThat(header.value()).containsExactly(1, 2);
        }

        @Test
        void copiesValuesOnTheirWayOut() {
            Header header = Header.of("a", new byte[] {1, 2});

            header.value()[0] = 9;

            assertThat(header.value()).containsExactly(1, 2);
        }

        @Test
        void leavesTheHeadersItWasAddedTo() {
            Headers one = Headers.none().with("a", "1");
            Headers two = one.with("b", "2");

            assertThat(one.all()).containsExactly(Header.of("a", "1"));
            assertThat(two.all()).containsExactly(Header.of("a", "1"), Header.of("b", "2"));
        }
    }

    @Test
    void sizeIsNamesAndValuesTogether() {
        assertThat(Headers.none().size()).isZero();
        assertThat(Headers.none().with("ab", "cde").with("", "é").size()).isEqualTo(2 + 3 + 2);
    }

    @Test
    void namesValuesAndOrderMakeThemEqual() {
        Headers headers = Headers.none().with("a", "1").with("b", "2");

        assertThat(headers)
                .isEqualTo(Headers.of(List.of(Header.of("a", "1"), Header.of("b", new byte[] {'2'}))))
                .hasSameHashCodeAs(Headers.of(List.of(Header.of("a", "1"), Header.of("b", "2"))))
                .isNotEqualTo(Headers.none().with("b", "2").with("a", "1"))
                .isNotEqualTo(Headers.none().with("A", "1").with("b", "2"))
                .isNotEqualTo(Headers.none().with("a", "1").with("b", "3"));
    }

    @Test
    void areNamedWithoutTheirValues() {
        Headers headers = Headers.none().with("authorization", "secret").with("b", "secret");

        assertThat(headers).hasToString("2 headers");
        assertThat(headers.all().get(0)).hasToString("authorization");
    }
}
