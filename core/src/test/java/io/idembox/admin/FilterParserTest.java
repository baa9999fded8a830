// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.MessageId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The filter language: what it means, what it refuses, and that what it prints is read again. */
class FilterParserTest {

    private static final Instant NOW = Instant.parse("2026-02-01T12:00:00Z");
    private static final int[] ALPHABET = "'\"a%_!\\ =~<>(),;-\n\u202e\u00a0\ud83d\ude00\u00e9andOR#\u0001"
            .codePoints()
            .toArray();
    private static final Filter ALL = Filter.of("email");

    private static FilterParser where(String text) {
        return FilterParser.parse(text, NOW);
    }

    private static Filter filter(String text) {
        return where(text).filter("email");
    }

    private static Instant at(String instant) {
        return Instant.parse(instant);
    }

    static Stream<Arguments> meanings() {
        return Stream.of(
                Arguments.of("consumer=email", ALL),
                Arguments.of("status=PARKED", ALL.status(Status.PARKED)),
                Arguments.of("status=failed-terminal", ALL.status(Status.FAILED_TERMINAL)),
                Arguments.of("status=Failed_Retryable", ALL.status(Status.FAILED_RETRYABLE)),
                Arguments.of("status='in-progress'", ALL.status(Status.IN_PROGRESS)),
                Arguments.of("status in (parked, WAITING)", ALL.status(Status.WAITING, Status.PARKED)),
                Arguments.of("status IN(discarded)", ALL.status(Status.DISCARDED)),
                Arguments.of("status in ( parked ,parked )", ALL.status(Status.PARKED)),
                Arguments.of("source=/orders", ALL.source("/orders")),
                Arguments.of("id=81", ALL.id("81")),
                Arguments.of("id=81 and source=/orders", ALL.id(new MessageId("/orders", "81"))),
                Arguments.of("key=a-b_c:d", ALL.key("a-b_c:d")),
                Arguments.of("key=ключ😀", ALL.key("ключ😀")),
                Arguments.of("key='it''s'", ALL.key("it's")),
                Arguments.of("key=\"it's \"\"so\"\"\"", ALL.key("it's \"so\"")),
                Arguments.of("key=''", ALL.key("")),
                Arguments.of("key='and'", ALL.key("and")),
                Arguments.of("key='two words and more'", ALL.key("two words and more")),
                Arguments.of("key=-1;drop--%_\\", ALL.key("-1;drop--%_\\")),
                Arguments.of("type=OrderPlaced", ALL.type("OrderPlaced")),
                Arguments.of("error=java.io.IOException", ALL.errorClass("java.io.IOException")),
                Arguments.of("error~Timeout", ALL.errorContains("Timeout")),
                Arguments.of(
                        "error~b and error~a and error=x",
                        ALL.errorClass("x").errorContains("a").errorContains("b")),
                Arguments.of("reason=CRASH", ALL.reason("CRASH")),
                Arguments.of("group=" + GROUP, ALL.group(GROUP)),
                Arguments.of("group='" + GROUP.toString().toUpperCase(Locale.ROOT) + "'", ALL.group(GROUP)),
                Arguments.of("received>=2026-01-31T10:00:00Z", ALL.receivedAfter(at("2026-01-31T10:00:00Z"))),
                Arguments.of("received>2026-01-31T10:00:00Z", ALL.receivedAfter(at("2026-01-31T10:00:00.000001Z"))),
                Arguments.of("received<2026-01-31T10:00:00Z", ALL.receivedBefore(at("2026-01-31T10:00:00Z"))),
                Arguments.of("received<=2026-01-31T10:00:00Z", ALL.receivedBefore(at("2026-01-31T10:00:00.000001Z"))),
                Arguments.of(
                        "received>=2026-01-31T10:00:00.0000001Z", ALL.receivedAfter(at("2026-01-31T10:00:00.000001Z"))),
                Arguments.of("received>=2026-01-31T12:00:00+02:00", ALL.receivedAfter(at("2026-01-31T10:00:00Z"))),
                Arguments.of("received>=2026-01-31", ALL.receivedAfter(at("2026-01-31T00:00:00Z"))),
                Arguments.of("received>2026-01-31", ALL.receivedAfter(at("2026-02-01T00:00:00Z"))),
                Arguments.of("received<2026-01-31", ALL.receivedBefore(at("2026-01-31T00:00:00Z"))),
                Arguments.of("received<=2026-01-31", ALL.receivedBefore(at("2026-02-01T00:00:00Z"))),
                Arguments.of("received>=-24h", ALL.receivedAfter(at("2026-01-31T12:00:00Z"))),
                Arguments.of("received<-30m", ALL.receivedBefore(at("2026-02-01T11:30:00Z"))),
                Arguments.of("received<'-45s'", ALL.receivedBefore(at("2026-02-01T11:59:15Z"))),
                Arguments.of("received>=-7d and received>=-1d", ALL.receivedAfter(at("2026-01-31T12:00:00Z"))),
                Arguments.of("received<-7d and received<-1d", ALL.receivedBefore(at("2026-01-25T12:00:00Z"))),
                Arguments.of("attempts=3", ALL.attemptsAtLeast(3).attemptsAtMost(3)),
                Arguments.of("attempts>3", ALL.attemptsAtLeast(4)),
                Arguments.of("attempts>=03", ALL.attemptsAtLeast(3)),
                Arguments.of("attempts<3", ALL.attemptsAtMost(2)),
                Arguments.of("attempts<=3", ALL.attemptsAtMost(3)),
                Arguments.of(
                        "attempts>1 and attempts>=5 and attempts<9 and attempts<=20",
                        ALL.attemptsAtLeast(5).attemptsAtMost(8)),
                Arguments.of("  Key = a\n\tAND\u00a0TYPE\t=b ", ALL.key("a").type("b")),
                Arguments.of(
                        "consumer=email and error~Timeout and received>=-24h and attempts>=3",
                        ALL.errorContains("Timeout")
                                .receivedAfter(at("2026-01-31T12:00:00Z"))
                                .attemptsAtLeast(3)));
    }

    @ParameterizedTest
    @MethodSource("meanings")
    void itMeans(String text, Filter meant) {
        assertThat(filter(text)).isEqualTo(meant);
    }

    private static final UUID GROUP = UUID.fromString("0b5ec5d1-4b3c-4bd3-9c0a-6f1f2f0f5c11");

    private static final String FIELDS =
            "consumer, status, source, id, key, type, error, reason, group, received and attempts.";
    private static final String STATUSES =
            "expected RECEIVED, WAITING, IN_PROGRESS, FAILED_RETRYABLE, FAILED_TERMINAL, PARKED and" + " DISCARDED.";
    private static final String JOINED =
            "; expected 'and'. Conditions are joined by 'and'; a value with blanks or special characters"
                    + " needs quotes.";
    private static final String TIMES =
            " is not a time; use an instant (2026-01-31T12:00:00Z), a date (2026-01-31) or a"
                    + " relative time (-30m, -24h, -7d).";

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of(" \n", "The filter is empty; use conditions such as consumer=email and received>-24h."),
                Arguments.of("recieved>-24h", "Position 1: 'recieved' is not a field; did you mean received?"),
                Arguments.of("key=a and Typ=b", "Position 11: 'Typ' is not a field; did you mean type?"),
                Arguments.of("colour=red", "Position 1: 'colour' is not a field; expected " + FIELDS),
                Arguments.of("or=1", "Position 1: 'or' is not a field; expected " + FIELDS),
                Arguments.of("=red", "Position 1: found '='; expected a field: " + FIELDS),
                Arguments.of("'key'=a", "Position 1: found 'key'; expected a field: " + FIELDS),
                Arguments.of("key=a and", "Position 10: found the end; expected a field: " + FIELDS),
                Arguments.of("key", "Position 4: found the end after key; expected =."),
                Arguments.of("key~a", "Position 4: found '~' after key; expected =."),
                Arguments.of("key==a", "Position 4: found '==' after key; expected =."),
                Arguments.of("error!=a", "Position 6: found '!=' after error; expected = and ~."),
                Arguments.of("error like a", "Position 7: found 'like' after error; expected = and ~."),
                Arguments.of("key in (a)", "Position 5: found 'in' after key; expected =."),
                Arguments.of("status 'in' (a)", "Position 8: found 'in' after status; expected = and in."),
                Arguments.of("received=-1h", "Position 9: found '=' after received; expected >, >=, < and <=."),
                Arguments.of("attempts~3", "Position 9: found '~' after attempts; expected =, >, >=, < and <=."),
                Arguments.of("key=", "Position 5: found the end; expected a value for key."),
                Arguments.of("key=(a)", "Position 5: found '('; expected a value for key."),
                Arguments.of(
                        "key= and type=b",
                        "Position 6: found 'and'; expected a value for key. To use this word as a value, put it in quotes."),
                Arguments.of("error~''", "Position 7: the text to find in error is empty."),
                Arguments.of("key='abc", "Position 5: this quote is not closed."),
                Arguments.of("key='abc''", "Position 5: this quote is not closed."),
                Arguments.of("key=a b", "Position 7: found 'b'" + JOINED),
                Arguments.of("key=a or key=b", "Position 7: found 'or'" + JOINED),
                Arguments.of("key=a'b'", "Position 6: found 'b'" + JOINED),
                Arguments.of("key=a=b", "Position 6: found '='" + JOINED),
                Arguments.of("key=a)", "Position 6: found ')'" + JOINED),
                Arguments.of("key=😀 or", "Position 7: found 'or'" + JOINED),
                Arguments.of("key=a and key=b", "Position 11: second condition on key; only one is allowed."),
                Arguments.of(
                        "status=parked and status in (parked)",
                        "Position 19: second condition on status; only one is allowed."));
    }

    static Stream<Arguments> mistakesInValues() {
        return Stream.of(
                Arguments.of("status=parkd", "Position 8: 'parkd' is not a status; did you mean PARKED?"),
                Arguments.of("status=failed", "Position 8: 'failed' is not a status; " + STATUSES),
                Arguments.of("status in (parked, done)", "Position 20: 'done' is not a status; " + STATUSES),
                Arguments.of(
                        "status=completed",
                        "Position 8: COMPLETED messages are not listed; find a completed message by source and id."),
                Arguments.of("status in parked", "Position 11: found 'parked'; expected '('."),
                Arguments.of("status in ()", "Position 12: found ')'; expected a value for status."),
                Arguments.of("status in (parked waiting)", "Position 19: found 'waiting'; expected ',' or ')'."),
                Arguments.of("status in (parked", "Position 18: found the end; expected ',' or ')'."),
                Arguments.of("received>yesterday", "Position 10: 'yesterday'" + TIMES),
                Arguments.of("received>24h", "Position 10: '24h'" + TIMES),
                Arguments.of("received>-24w", "Position 10: '-24w'" + TIMES),
                Arguments.of("received>-9999999999s", "Position 10: '-9999999999s'" + TIMES),
                Arguments.of("received>2026-02-30", "Position 10: '2026-02-30'" + TIMES),
                Arguments.of("received>2026-01-31T10:00:00", "Position 10: '2026-01-31T10:00:00'" + TIMES),
                Arguments.of("received>''", "Position 10: ''" + TIMES),
                Arguments.of(
                        "received>-999999999d",
                        "Position 10: '-999999999d' is out of range; a time must be between 0001-01-01 and 9999-12-30."),
                Arguments.of(
                        "received>+999999999-01-01T00:00:00Z",
                        "Position 10: '+999999999-01-01T00:00:00Z' is out of range; a time must be between 0001-01-01 and"
                                + " 9999-12-30."),
                Arguments.of(
                        "received<=9999-12-31",
                        "Position 11: '9999-12-31' is out of range; a time must be between 0001-01-01 and 9999-12-30."),
                Arguments.of(
                        "attempts>three",
                        "Position 10: 'three' is not a number of attempts; use a whole number such as 3."),
                Arguments.of(
                        "attempts>-1", "Position 10: '-1' is not a number of attempts; use a whole number such as 3."),
                Arguments.of(
                        "attempts>9999999999",
                        "Position 10: '9999999999' is not a number of attempts; use a whole number such as 3."),
                Arguments.of(
                        "attempts>٣", "Position 10: '٣' is not a number of attempts; use a whole number such as 3."),
                Arguments.of(
                        "group=1-1-1-1-1",
                        "Position 7: '1-1-1-1-1' is not a failure group; use its id, such as"
                                + " 0b5ec5d1-4b3c-4bd3-9c0a-6f1f2f0f5c11."),
                Arguments.of("group~a", "Position 6: found '~' after group; expected =."),
                Arguments.of("key='a\0b'", "Position 7: found U+0000, which cannot be stored."),
                Arguments.of("key='a\ud800b'", "Position 7: found U+D800, which cannot be stored."),
                Arguments.of(
                        "key=a\u202eb",
                        "Position 6: found the invisible character U+202E; to use it in a value, put the value in quotes."),
                Arguments.of(
                        "k\u200bey=a",
                        "Position 2: found the invisible character U+200B; to use it in a value, put the value in quotes."),
                Arguments.of("'\u001b[2J'=a", "Position 1: found '?[2J'; expected a field: " + FIELDS),
                Arguments.of(
                        "x".repeat(50) + "=a",
                        "Position 1: '" + "x".repeat(40) + "…' is not a field; expected " + FIELDS),
                Arguments.of(
                        "key='" + "x".repeat(2_000) + "'", "The filter has 2006 characters; at most 2000 are allowed."),
                Arguments.of(
                        "key=" + "%".repeat(1_996),
                        "The filter, in its canonical form, has 2002 characters; at most 2000 are allowed."),
                Arguments.of(
                        IntStream.range(0, 21).mapToObj(i -> "error~e" + i).collect(Collectors.joining(" and ")),
                        "Position 267: a filter has at most 20 conditions."));
    }

    @ParameterizedTest
    @MethodSource({"mistakes", "mistakesInValues"})
    void itRefuses(String text, String said) {
        assertThatThrownBy(() -> where(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(said);
    }

    @Test
    void theConsumerIsNamedOrLeftOpen() {
        assertThat(where("key=a").consumer()).isEmpty();
        assertThat(where("key=a").filter("billing"))
                .isEqualTo(Filter.of("billing").key("a"));
        assertThat(where("consumer='outbox/mails'").consumer()).contains("outbox/mails");
        assertThatThrownBy(() -> where("consumer=email").filter("billing"))
                .hasMessage("The filter names consumer email and cannot be used for consumer billing.");
    }

    @Test
    void theOrderOfConditionsDoesNotMatter() {
        assertThat(where("type=b and error~y and key=a and error~x"))
                .isEqualTo(where("error~x and error~y and error~x and key=a and type=b"))
                .hasSameHashCodeAs(where("key=a and type=b and error~y and error~x"))
                .hasToString("key=a and type=b and error~x and error~y")
                .isNotEqualTo(where("key=a and type=b"));
    }

    @Test
    void whatIsPrintedSaysWhatWasUnderstood() {
        assertThat(where("received>-24h and STATUS in (parked,'waiting') and consumer = email and attempts>=03"
                        + " and key='it''s' and id=\"in\""))
                .hasToString("consumer=email and status in (WAITING, PARKED) and id='in' and key=\"it's\""
                        + " and received>2026-01-31T12:00:00Z and attempts>=3");
    }

    @Test
    void whatIsPrintedIsReadAgainAsTheSame() {
        Random random = new Random(20260201);
        for (int run = 0; run < 20_000; run++) {
            String text = anyFilter(random);
            FilterParser read = where(text);

            FilterParser again = FilterParser.parse(read.toString(), NOW.plusSeconds(run));

            assertThat(again).as(text).isEqualTo(read).hasToString(read.toString());
            assertThat(again.filter("c")).as(text).isEqualTo(read.filter("c"));
        }
    }

    @Test
    void nonsenseIsAnsweredWithASentenceAndNothingElse() {
        Random random = new Random(81);
        List<String> pieces = List.of(
                "key",
                "status",
                "received",
                "attempts",
                "error",
                "=",
                "~",
                ">",
                "<=",
                "!",
                "in",
                "and",
                "(",
                ")",
                ",",
                "'",
                "\"",
                " ",
                "-1h",
                "3",
                "parked",
                "2026-01-01",
                "\0",
                "\ud800",
                "\u202e",
                "😀",
                ";",
                "--",
                "x");
        for (int run = 0; run < 50_000; run++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(12); i >= 0; i--) {
                text.append(pieces.get(random.nextInt(pieces.size())));
            }
            try {
                where(text.toString()).filter("c");
            } catch (IllegalArgumentException refused) {
                assertThat(refused.getMessage())
                        .as(text.toString())
                        .matches("(?s)(Position [0-9]+: |The filter ).*[.?]")
                        .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Cs}]");
            }
        }
    }

    private static String anyFilter(Random random) {
        List<String> conditions = new ArrayList<>(List.of(
                "source=" + anyValue(random),
                "id=" + anyValue(random),
                "key = " + anyValue(random),
                "Type=" + anyValue(random),
                "error=" + anyValue(random),
                "error~x" + random.nextInt(3),
                "error~" + quoted(random, "x" + anyText(random)),
                "reason=" + anyValue(random),
                "status in (" + anyStatus(random) + "," + anyStatus(random) + ")",
                "received" + anyBound(random) + anyTime(random),
                "received" + anyBound(random) + anyTime(random),
                "attempts" + anyBound(random) + random.nextInt(1_000_000_000),
                "attempts=" + random.nextInt(20),
                "consumer=c"));
        Collections.shuffle(conditions, random);
        return String.join(" and ", conditions.subList(0, 1 + random.nextInt(conditions.size())));
    }

    private static String anyValue(Random random) {
        return quoted(random, anyText(random));
    }

    private static String anyText(Random random) {
        int[] characters = random.ints(random.nextInt(8), 0, ALPHABET.length)
                .map(i -> ALPHABET[i])
                .toArray();
        return new String(characters, 0, characters.length);
    }

    private static String quoted(Random random, String value) {
        String quote = random.nextBoolean() ? "'" : "\"";
        return quote + value.replace(quote, quote + quote) + quote;
    }

    private static String anyStatus(Random random) {
        List<Status> listed = List.copyOf(EnumSet.complementOf(EnumSet.of(Status.COMPLETED)));
        String name = listed.get(random.nextInt(listed.size())).name();
        return random.nextBoolean() ? name : name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String anyBound(Random random) {
        return List.of(">", ">=", "<", "<=").get(random.nextInt(4));
    }

    private static String anyTime(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> "-" + random.nextInt(500_000) + "smhd".charAt(random.nextInt(4));
            case 1 -> "%04d-0%d-1%d".formatted(1 + random.nextInt(9998), 1 + random.nextInt(9), random.nextInt(10));
            default -> NOW.minusNanos(random.nextLong(Long.MAX_VALUE)).toString();
        };
    }
}
