// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first byte is in every ledger: 0 is text, 1 is a UUID, 2 is a hash. */
class IdBytesTest {

    @Nested
    class Uuids {

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "018f4e5c-7d3a-7abc-8def-0123456789ab",
                    "00000000-0000-0000-0000-000000000000",
                    "ffffffff-ffff-ffff-ffff-ffffffffffff",
                    "80000000-0000-4000-8000-000000000001",
                })
        void takeSeventeenBytes(String uuid) {
            assertThat(hex(uuid)).isEqualTo("01" + uuid.replace("-", ""));
            assertThat(IdBytes.isHash(IdBytes.of(uuid))).isFalse();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "018F4E5C-7D3A-7ABC-8DEF-0123456789AB",
                    "018f4e5c-7d3a-7abc-8def-0123456789aB",
                    "018f4e5c7d3a7abc8def0123456789ab",
                    "{018f4e5c-7d3a-7abc-8def-0123456789ab}",
                    "urn:uuid:018f4e5c-7d3a-7abc-8def-0123456789ab",
                    " 018f4e5c-7d3a-7abc-8def-0123456789ab",
                    "018f4e5c-7d3a-7abc-8def-0123456789a",
                    "018f4e5c-7d3a-7abc-8def-0123456789abc",
                    "018f4e5-c7d3a-7abc-8def-0123456789ab",
                    "018f4e5c-7d3a-7abc-8def0-123456789ab",
                    "018f4e5c-7d3a-7abc-8def-0123456789ag",
                    "x18f4e5c-7d3a-7abc-8def-0123456789ab",
                    "018f4e5c_7d3a_7abc_8def_0123456789ab",
                    "------------------------------------",
                    "018f4e5c-7d3a-7abc-8def-0123456789a٣",
                })
        void inAnotherSpellingAreOtherIds(String text) {
            assertThat(IdBytes.of(text)).isEqualTo(tagged(0, text.getBytes(StandardCharsets.UTF_8)));
        }

        @Test
        void thatAreOrderedByTimeStayInOrder() {
            List<String> inTime = Stream.of(0L, 1L, 0x7fffL, 0x8000L, 0x018f4e5c7d3aL, 0x018f4e5c7d3bL, 0x800000000000L)
                    .flatMap(millis -> Stream.of(0L, 0x7ffL, 0xfffL).map(more -> uuidV7(millis, more)))
                    .toList();

            List<String> byBytes = inTime.stream()
                    .sorted((one, other) -> Arrays.compareUnsigned(IdBytes.of(one), IdBytes.of(other)))
                    .toList();

            assertThat(byBytes).isEqualTo(inTime);
        }

        private static String uuidV7(long millis, long more) {
            return new UUID(millis << 16 | 0x7000 | more, 0x8000000000000000L).toString();
        }
    }

    @Nested
    class Texts {

        @ParameterizedTest
        @ValueSource(strings = {"", "a", "A", " a", "a ", "evt-456", "é", "e\u0301", "😀", "a\nb", "0", "\u0001"})
        void areKeptAsTheyAre(String text) {
            assertThat(IdBytes.of(text)).isEqualTo(tagged(0, text.getBytes(StandardCharsets.UTF_8)));
        }

        @Test
        void areKeptUpTo512Bytes() {
            assertThat(IdBytes.of("x".repeat(512))).hasSize(513).startsWith(0);
            assertThat(IdBytes.of("é".repeat(256))).hasSize(513).startsWith(0);
            assertThat(IdBytes.of("😀".repeat(128))).hasSize(513).startsWith(0);
        }

        @ParameterizedTest
        @ValueSource(ints = {513, 514, 8_192})
        void thatAreLongerAreKeptAsTheirHash(int length) throws Exception {
            String text = "x".repeat(length);

            assertThat(IdBytes.of(text)).isEqualTo(tagged(2, sha256(text)));
            assertThat(IdBytes.isHash(IdBytes.of(text))).isTrue();
        }

        @Test
        void areMeasuredInBytesNotInCharacters() throws Exception {
            String text = "é".repeat(256) + "x";

            assertThat(text.length()).isLessThan(512);
            assertThat(IdBytes.of(text)).isEqualTo(tagged(2, sha256(text)));
        }

        @Test
        void thatDifferOnlyAtTheEndDiffer() {
            String start = "x".repeat(600);

            assertThat(IdBytes.of(start + "a")).isNotEqualTo(IdBytes.of(start + "b"));
            assertThat(IdBytes.of(start)).isNotEqualTo(IdBytes.of(start + "x"));
        }
    }

    @Test
    void kindsNeverMeet() throws Exception {
        String uuid = "41424344-4546-4748-494a-4b4c4d4e4f50";
        String sameBytes = "ABCDEFGHIJKLMNOP";
        String longText = "x".repeat(513);
        String hashAsText = new String(sha256(longText), StandardCharsets.ISO_8859_1);

        assertThat(IdBytes.of(uuid)).isNotEqualTo(IdBytes.of(sameBytes));
        assertThat(IdBytes.of("\u0001" + sameBytes)).isNotEqualTo(IdBytes.of(uuid));
        assertThat(IdBytes.of(longText)).isNotEqualTo(IdBytes.of(hashAsText));
        assertThat(IdBytes.of("\u0002" + hashAsText)).isNotEqualTo(IdBytes.of(longText));
    }

    @Test
    void noTwoIdsShareTheirBytes() {
        Random random = new Random(20_261_115);
        Map<String, String> seen = new HashMap<>();

        for (int i = 0; i < 10_000; i++) {
            String uuid = new UUID(random.nextLong(), random.nextLong()).toString();
            for (String id : List.of(uuid, uuid.replace("-", ""), "evt-" + i, "x".repeat(510) + i, "é" + i)) {
                String other = seen.put(hex(id), id);
                if (other != null && !other.equals(id)) {
                    throw new AssertionError(id + " and " + other + " share their bytes");
                }
            }
        }
    }

    private static String hex(String id) {
        return HexFormat.of().formatHex(IdBytes.of(id));
    }

    private static byte[] tagged(int tag, byte[] rest) {
        return ByteBuffer.allocate(1 + rest.length).put((byte) tag).put(rest).array();
    }

    private static byte[] sha256(String text) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    }
}
