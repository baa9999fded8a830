// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Text and JSON output of consumers and messages. */
class LooksDbTest {

    private final TestInbox inbox = new TestInbox().withTables();

    @AfterEach
    void close() {
        inbox.close();
    }

    private static List<String> texts(JsonNode rows, String field) {
        return rows.findValuesAsText(field);
    }

    @Test
    void statusHasOneRowPerConsumer() {
        inbox.parked("billing", "1").stored("shipping", 3);

        JsonNode rows = inbox.cli().json("status");

        assertThat(texts(rows, "consumer")).containsExactly("billing", "shipping");
        assertThat(rows.at("/0/parked/number").asInt()).isEqualTo(1);
        assertThat(rows.at("/0/parked/exact").asBoolean()).isTrue();
        assertThat(rows.at("/0/oldest").isNull()).isTrue();
        assertThat(rows.at("/1/waiting/number").asInt()).isEqualTo(3);
        assertThat(rows.at("/1/ageSeconds").isNumber()).isTrue();
        assertThat(inbox.cli()
                        .run("status", "--fail-on", "waiting=4,parked=2,oldest=1d")
                        .exitCode())
                .isZero();
        assertThat(inbox.cli().run("status", "--fail-on", "waiting=3").exitCode())
                .isEqualTo(1);
        assertThat(inbox.cli().run("status", "--fail-on", "nonsense=3").exitCode())
                .isEqualTo(2);
    }

    @Test
    void consumersAreListedDescribedPausedAndResumed() {
        inbox.parked("billing", "1");

        JsonNode paused = inbox.cli().json("consumers", "pause", "billing", "--reason", "closed", "--by", "anna");
        assertThat(paused.get("changed").asBoolean()).isTrue();
        assertThat(paused.get("operation").asText()).isNotEmpty();
        JsonNode listed = inbox.cli().json("consumers", "list");
        assertThat(texts(listed, "consumer")).containsExactly("billing");
        assertThat(listed.at("/0/paused").asText()).contains("anna", "closed");
        JsonNode described = inbox.cli().json("consumers", "describe", "billing");
        assertThat(described.at("/statuses/PARKED/number").asInt()).isEqualTo(1);
        assertThat(described.get("paused").asText()).contains("closed");
        assertThat(inbox.cli()
                        .json("consumers", "pause", "billing", "--reason", "again")
                        .get("changed")
                        .asBoolean())
                .isFalse();
        assertThat(inbox.cli()
                        .json("consumers", "resume", "billing", "--reason", "open")
                        .get("changed")
                        .asBoolean())
                .isTrue();
        assertThat(inbox.cli().json("consumers", "list").at("/0/paused").isNull())
                .isTrue();
    }

    @Test
    void unknownConsumerIsReportedInOneLine() {
        for (String[] args : List.of(
                new String[] {"consumers", "describe", "nobody"},
                new String[] {"consumers", "pause", "nobody", "--reason", "x"},
                new String[] {"messages", "get", "nobody", "/orders", "1"})) {
            Cli.Result result = inbox.cli().run(args);
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.err().lines()).hasSize(1);
            assertThat(result.err()).startsWith("idembox: ").contains("nobody");
            assertThat(result.out()).isEmpty();
        }
    }

    @Test
    void messagesAreListedWithEverythingButTheirPayload() {
        inbox.parked("billing", "1", "2", "3");

        JsonNode rows = inbox.cli().json("messages", "list", "--consumer", "billing");

        assertThat(texts(rows, "id")).containsExactly("1", "2", "3");
        JsonNode first = rows.get(0);
        assertThat(first.get("source").asText()).isEqualTo("/orders");
        assertThat(first.get("status").asText()).isEqualTo("PARKED");
        assertThat(first.get("reason").asText()).isEqualTo("HANDLER");
        assertThat(first.get("attempts").asInt()).isEqualTo(1);
        assertThat(first.at("/error/class").asText()).isEqualTo("io.idembox.HandlerException");
        assertThat(first.at("/error/message").asText()).isEqualTo("the bank is closed");
        assertThat(first.fieldNames())
                .toIterable()
                .containsExactly(
                        "consumer",
                        "source",
                        "id",
                        "arrival",
                        "status",
                        "reason",
                        "owner",
                        "dueAt",
                        "holder",
                        "attempts",
                        "failures",
                        "crashes",
                        "releases",
                        "receivedAt",
                        "changedAt",
                        "settledAt",
                        "type",
                        "typeVersion",
                        "key",
                        "payloadBytes",
                        "contentType",
                        "kept",
                        "original",
                        "error",
                        "group");
        assertThat(rows.toString()).doesNotContain("secret");

        Cli.Result limited = inbox.cli().run("parked", "list", "--limit", "2", "-o", "json");
        assertThat(texts(limited.json(), "id")).containsExactly("1", "2");
        assertThat(limited.err()).contains("more than 2");
        assertThat(inbox.cli().run("parked", "list", "--limit", "3").err()).isEmpty();
        assertThat(inbox.cli().json("messages", "list", "--status", "waiting")).isEmpty();
        assertThat(texts(inbox.cli().json("parked", "list", "--source", "/orders", "--id", "2"), "id"))
                .containsExactly("2");
        assertThat(inbox.cli().json("parked", "list", "--until", "1h")).isEmpty();
        assertThat(inbox.cli().json("parked", "list", "--since", "1h", "--error", "io.idembox.HandlerException"))
                .hasSize(3);
    }

    @Test
    void oneMessageIsShownWithItsHistoryAndExplained() {
        inbox.parked("billing", "1");

        JsonNode message = inbox.cli().json("messages", "get", "billing", "/orders", "1");
        assertThat(message.at("/history/0/class").asText()).isEqualTo("io.idembox.HandlerException");
        assertThat(message.get("operations")).isEmpty();
        JsonNode explained = inbox.cli().json("messages", "explain", "billing", "/orders", "1");
        assertThat(explained.get("id").asText()).isEqualTo("1");
        assertThat(explained.get("sentences").get(0).asText()).contains("PARKED (HANDLER)");
    }

    @Test
    void exportPrintsAllMessagesOnePerLine() {
        inbox.stored("billing", 1_050);

        Cli.Result export = inbox.cli().run("messages", "export", "--consumer", "billing");

        assertThat(export.out().lines()).hasSize(1_050).allMatch(line -> line.startsWith("{\"consumer\":\"billing\""));
        assertThat(inbox.cli().run("messages", "export", "-o", "yaml").exitCode())
                .isEqualTo(2);
    }

    @Test
    void tailShowsExistingMessagesAndStopsAtLimit() {
        inbox.parked("billing", "1", "2", "3");

        Cli.Result tail = inbox.cli().run("messages", "tail", "--from-start", "--limit", "2", "-o", "ndjson");

        assertThat(tail.exitCode()).isZero();
        assertThat(tail.out().lines()).hasSize(2).allMatch(line -> line.contains("\"PARKED\""));
        assertThat(inbox.cli().run("messages", "tail", "-o", "json").exitCode()).isEqualTo(2);
    }

    /** Ids and errors come from outside, and terminals execute control sequences. */
    @Test
    void controlCharactersInMessagesAreEscaped() {
        try (Inbox writing = Inbox.on(inbox.dataSource()).start()) {
            Message evil = Message.of("\u001b]0;owned\u0007\u202e", "OrderPlaced", "{}")
                    .from("/\u009b31m");
            writing.handle("billing", evil, ctx -> {
                throw HandlerException.park("\u001b[2Jall is well\r\n");
            });
        }
        for (String[] args : List.of(
                new String[] {"parked", "list"},
                new String[] {"parked", "list", "-o", "json"},
                new String[] {"parked", "list", "-o", "yaml"},
                new String[] {"parked", "redrive", "--consumer", "billing", "--dry-run"},
                new String[] {"messages", "explain", "billing", "/\u009b31m", "\u001b]0;owned\u0007\u202e"},
                new String[] {"messages", "get", "billing", "/\u009b31m", "\u001b]0;owned\u0007\u202e"},
                new String[] {"messages", "get", "billing", "\u001b", "\u001b"})) {
            Cli.Result result = inbox.cli().run(args);

            assertThat(result.out() + result.err())
                    .isNotBlank()
                    .matches(text -> text.replace("\n", "")
                            .codePoints()
                            .noneMatch(c -> Character.isISOControl(c) || c == 0x202e));
        }
    }
}
