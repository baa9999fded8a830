// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonFieldTest {

    private static final int DEEP = 100_000;
    private static final List<JsonField> FIELDS = Stream.of("/id", "/x/1/y", "/x/2", "/0/a", "/a")
            .map(pointer -> JsonField.at("json-field", pointer))
            .toList();

    @Nested
    class Pointers {

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                /id        | {"id":"a"}                                     | a
                /id        | {"x":1,"id":"a"}                               | a
                /meta/id   | {"meta":{"x":[],"id":"a"},"id":"no"}           | a
                /list/0    | {"list":["a","no"]}                            | a
                /list/1    | {"list":["no","a"]}                            | a
                /list/2/id | {"list":[1,[2,{"id":"no"}],{"id":"a"}]}        | a
                /0         | ["a"]                                          | a
                /1/1/0     | [{"1":"no"},[0,[7]]]                           | 7
                /12        | [0,1,2,3,4,5,6,7,8,9,10,11,"a"]                | a
                /0         | {"0":"a"}                                      | a
                /a~1b      | {"a":{"b":"no"},"a/b":"a"}                     | a
                /a~0b      | {"a~b":"a"}                                    | a
                /a~01      | {"a/":"no","a~1":"a"}                          | a
                /m//id     | {"m":{"id":"no","":{"id":"a"}}}                | a
                /größe     | {"größe":"a"}                                  | a
                /😀        | {"😀":"a"}                                     | a
                /1         | [ 0 , "a" ]                                    | a
                /1/1       | [ { } , [ [ ] , "a" ] ]                        | a
                """)
        void leadToTheirField(String pointer, String json, String expected) {
            assertThat(text(pointer, json)).contains(expected);
        }

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                /id      | {}
                /id      | {"x":1}
                /id      | {"ID":"case counts"}
                /id      | {"i":1,"idd":2,"i d":3}
                /id      | {"x":{"id":"too deep"}}
                /id      | ["id"]
                /id      | "id"
                /id/x    | {"id":"no object"}
                /id/x    | {"id":{"y":1}}
                /id/0    | {"id":"no array"}
                /0       | []
                /0       | {}
                /2       | ["a","b"]
                /x       | ["a"]
                /-       | ["a"]
                /99999999999 | ["a"]
                """)
        void thatLeadNowhereFindNothing(String pointer, String json) {
            assertThat(text(pointer, json)).isEmpty();
            assertThat(raw(pointer, json)).isEmpty();
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "id", "/", "id/", "$.id"})
        void thatAreNoneAreRefused(String pointer) {
            assertThatThrownBy(() -> JsonField.at("identity.json-field", pointer))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageStartingWith("identity.json-field ")
                    .hasMessageEndingWith("'" + pointer + "'");
        }
    }

    @Nested
    class Names {

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"\\u0069d\":\"a\"}",
                    "{\"\\u0069\\u0064\":\"a\"}",
                    "{\"x\":\"\\\"id\\\":\\\"no\\\"\",\"id\":\"a\"}",
                    "{\"x\":\"}],{[\",\"id\":\"a\"}",
                    "{\"x\":\"\\\\\",\"id\":\"a\"}",
                    "{\"\\\"id\":\"no\",\"id\":\"a\"}",
                    "{\"x\":{\"id\":{\"id\":\"no\"}},\"id\":\"a\"}",
                    "{\"x\":[\"id\",\"no\"],\"id\":\"a\"}",
                    " \r\n\t{ \"x\"\t: [ 1 , { } ] ,\n\"id\" \r: \"a\" } ",
                })
        void areReadAsJsonMeansThem(String json) {
            assertThat(text("/id", json)).contains("a");
        }

        @Test
        void maySpellWhatTheJsonEscapes() {
            assertThat(text("/a\"b", "{\"a\\\"b\":\"x\"}")).contains("x");
            assertThat(text("/a\\b", "{\"a\\\\b\":\"x\"}")).contains("x");
            assertThat(text("/é", "{\"\\u00e9\":\"x\"}")).contains("x");
            assertThat(text("/éA", "{\"é\\u0041\":\"x\"}")).contains("x");
        }

        @Test
        void thatComeTwiceCountTheFirstTime() {
            assertThat(text("/id", "{\"id\":\"first\",\"id\":\"second\"}")).contains("first");
            assertThat(raw("/id", "{\"id\":1,\"id\":2}")).contains("1");
        }
    }

    @Nested
    class Values {

        @Test
        void areUnescaped() {
            assertThat(text("/id", "{\"id\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}")).contains("\"\\/\b\f\n\r\t");
            assertThat(text("/id", "{\"id\":\"\\u00e9\\u00E9\"}")).contains("éé");
            assertThat(text("/id", "{\"id\":\"a\\u0000b\"}")).contains("a\0b");
            assertThat(text("/id", "{\"id\":\"\\ud83d\\ude00\"}")).contains("😀");
            assertThat(text("/id", "{\"id\":\"\\\\u0041\"}")).contains("\\u0041");
        }

        @Test
        void areReadAsUtf8() {
            assertThat(text("/id", "{\"id\":\"ä€😀\"}")).contains("ä€😀");
        }

        @ParameterizedTest
        @ValueSource(strings = {"0", "9", "42", "-1", "1.50", "-2.5E+10", "1e3", "123456789012345678901234567890"})
        void thatAreNumbersKeepTheirSpelling(String number) {
            assertThat(text("/id", "{\"id\":" + number + "}")).contains(number);
            assertThat(text("/id", "{\"id\": " + number + " ,\"x\":1}")).contains(number);
            assertThat(text("/0", "[" + number + "]")).contains(number);
        }

        @ParameterizedTest
        @ValueSource(strings = {"true", "false", "null", "{}", "[]", "[\"a\"]", "{\"id\":\"a\"}", "\"\""})
        void thatAreNeitherTextNorNumberAreNoText(String value) {
            assertThat(text("/id", "{\"id\":" + value + "}")).isEmpty();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "\"a\"",
                    "\"\"",
                    "\"\\u0041\\\"\"",
                    "1.0",
                    "true",
                    "null",
                    "[]",
                    "{ }",
                    "[1, {\"x\" : \"]\"}]",
                    "{\"a\": [{\"b\": \"}\"}]}"
                })
        void areGivenRawAsTheyStand(String value) {
            assertThat(raw("/id", "{\"x\":0,\"id\":" + value + "}")).contains(value);
            assertThat(raw("/id", "{\"id\" : " + value + " , \"y\":0}")).contains(value);
            assertThat(raw("/1", "[0," + value + "]")).contains(value);
        }
    }

    @Nested
    class WhatIsNoJson {

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    " ",
                    "{",
                    "[",
                    "}",
                    "]",
                    ":",
                    ",",
                    "\"",
                    "\\",
                    "null",
                    "nonsense",
                    "<id>a</id>",
                    "id=a",
                    "{\"id",
                    "{\"id\"",
                    "{\"id\":",
                    "{\"id\": ",
                    "{\"id\":\"",
                    "{\"id\":\"a",
                    "{\"id\":\"a\\",
                    "{\"id\":\"a\\\"}",
                    "{\"id\":\"\\u\"}",
                    "{\"id\":\"\\u12\"}",
                    "{\"id\":\"\\uZZZZ\"}",
                    "{\"id\":}",
                    "{\"id\":,}",
                    "{\"id\"::}",
                    "{\"id\":]}",
                    "{\"id\" \"a\"}",
                    "{\"id\"=\"a\"}",
                    "{id:\"a\"}",
                    "{'id':'a'}",
                    "{,\"id\":\"a\"}",
                    "{\"x\":1 \"id\":\"a\"}",
                    "{\"x\":1;\"id\":\"a\"}",
                    "{\"x\",\"id\":\"a\"}",
                    "{\"x\":,\"id\":\"a\"}",
                    "{\"x\":],\"id\":\"a\"}",
                    "{\"x\":[1,\"id\":\"a\"}",
                    "{\"x\":\"\\\",\"id\":\"a\"}",
                    "{\"x\":,,\"id\":\"a\"}",
                    "{\"x\"::,\"id\":\"a\"}",
                    "{\"\\uZZZZ\":\"a\"}",
                    "{\"x\":]7}",
                    "{\"x\":1,7}",
                    "{7:8}",
                    "{\"id\":+5}",
                    "{\"id\":.5}",
                    "[]7]",
                    "[,7]",
                    "\uFEFF{\"id\":\"a\"}",
                    "\0{\"id\":\"a\"}",
                })
        void hasNoField(String text) {
            assertThat(text("/id", text)).isEmpty();
            assertThat(text("/0", text)).isEmpty();
            assertThat(text("/1", text)).isEmpty();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"id\":\"a",
                    "{\"id\":\"a\\",
                    "{\"id\":[1",
                    "{\"id\":[\"a]}",
                    "{\"id\":{\"a\":1",
                    "{\"id\":]}"
                })
        void hasNoRawValueThatNeverEnds(String text) {
            assertThat(raw("/id", text)).isEmpty();
        }

        @Test
        void hasNoElementsWithoutCommas() {
            assertThat(text("/1", "[\"a\" \"b\"]")).isEmpty();
            assertThat(text("/1", "[1 2]")).isEmpty();
            assertThat(text("/1", "[1:2]")).isEmpty();
        }

        @Test
        void neverThrowsWhereverItEnds() {
            byte[] json = bytes("{\"x\":[1,{\"y\":\"\\u00e9\\\"\"},null],\"meta\":{\"id\":\"a\\tb\"},\"z\":-1.5e3}");

            for (int length = 0; length < json.length; length++) {
                byte[] cut = Arrays.copyOf(json, length);

                Optional<String> found = JsonField.at("json-field", "/meta/id").textIn(cut);
                assertThat(found.orElse("a\tb")).as("after %d bytes", length).isEqualTo("a\tb");
                assertThat(raw("/meta/id", new String(cut, StandardCharsets.UTF_8))
                                .orElse("\"a\\tb\""))
                        .isEqualTo("\"a\\tb\"");
                lookEverywhere(cut);
            }
        }

        @Test
        void neverThrowsWhateverByteIsWrong() {
            byte[] json = bytes("{\"x\":[1,{\"y\":\"\\u00e9\\\"\"},null],\"id\":\"a\\tb\"}");

            for (int at = 0; at < json.length; at++) {
                for (int wrong = 0; wrong < 256; wrong++) {
                    byte[] broken = json.clone();
                    broken[at] = (byte) wrong;

                    lookEverywhere(broken);
                }
            }
        }

        @Test
        void neverThrowsWhateverTheBytesAre() {
            Random random = new Random(20_261_115);
            byte[] alphabet = bytes("{}[]:,\"\\u0a-. \n\0é");

            for (int i = 0; i < 20_000; i++) {
                byte[] noise = new byte[random.nextInt(40)];
                for (int at = 0; at < noise.length; at++) {
                    noise[at] = alphabet[random.nextInt(alphabet.length)];
                }

                lookEverywhere(noise);
            }
        }

        private static void lookEverywhere(byte[] json) {
            for (JsonField field : FIELDS) {
                if (field.textIn(json).isPresent() && field.rawIn(json).isEmpty()) {
                    throw new AssertionError("A text without bytes in " + Arrays.toString(json));
                }
            }
        }
    }

    @Nested
    class Depth {

        private final String deep = "[".repeat(DEEP) + "7" + "]".repeat(DEEP);

        @Test
        void isPassedOnTheWay() {
            assertThat(text("/id", "{\"x\":" + deep + ",\"id\":\"a\"}")).contains("a");
            assertThat(text("/id", "{\"x\":" + "{\"id\":".repeat(DEEP) + "1" + "}".repeat(DEEP) + ",\"id\":\"a\"}"))
                    .contains("a");
        }

        @Test
        void isGivenRaw() {
            assertThat(raw("/id", "{\"id\":" + deep + "}")).contains(deep);
        }

        @Test
        void isFollowedByAPointer() {
            assertThat(text("/0".repeat(DEEP), deep)).contains("7");
        }

        @Test
        void thatIsNeverClosedHasNoField() {
            assertThat(text("/id", "{\"x\":" + "[".repeat(DEEP))).isEmpty();
            assertThat(raw("/id", "{\"id\":" + "{\"a\":".repeat(DEEP))).isEmpty();
        }
    }

    private static Optional<String> text(String pointer, String json) {
        return JsonField.at("identity.json-field", pointer).textIn(bytes(json));
    }

    private static Optional<String> raw(String pointer, String json) {
        return JsonField.at("identity.json-field", pointer)
                .rawIn(bytes(json))
                .map(value -> new String(value, StandardCharsets.UTF_8));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
