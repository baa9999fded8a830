// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.HandlerException;
import io.idembox.Inbox;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Failure groups: listed, annotated and redriven together. */
class GroupsDbTest {

    private final TestInbox inbox = new TestInbox().withTables();

    @AfterEach
    void close() {
        inbox.close();
    }

    private void closed(String consumer, String... ids) {
        try (Inbox writing = Inbox.on(inbox.dataSource()).start()) {
            for (String id : ids) {
                writing.handle(consumer, TestInbox.order(id), ctx -> {
                    throw HandlerException.park("account " + id + " is closed");
                });
            }
        }
    }

    private void slow(String consumer, String... ids) {
        try (Inbox writing = Inbox.on(inbox.dataSource()).start()) {
            for (String id : ids) {
                writing.handle(consumer, TestInbox.order(id), ctx -> {
                    throw HandlerException.park("no answer");
                });
            }
        }
    }

    @Test
    void groupsAreListedMostFrequentFirstWithSample() throws Exception {
        slow("billing", "1");
        closed("shipping", "2", "3");

        JsonNode rows = inbox.cli().json("parked", "groups");

        assertThat(rows.findValuesAsText("consumer")).containsExactly("shipping", "billing");
        assertThat(rows.findValuesAsText("count")).containsExactly("2", "1");
        JsonNode first = rows.get(0);
        assertThat(first.fieldNames())
                .toIterable()
                .containsExactly("consumer", "group", "count", "title", "firstAt", "lastAt", "sample", "note");
        assertThat(first.get("title").asText()).isEqualTo("io.idembox.HandlerException: account # is closed");
        assertThat(first.get("note").isNull()).isTrue();
        assertThat(first.get("sample").fieldNames())
                .toIterable()
                .containsExactly("source", "id", "status", "type", "class", "message");
        assertThat(first.at("/sample/id").asText()).isEqualTo("3");
        assertThat(first.at("/sample/message").asText()).isEqualTo("account 3 is closed");
        assertThat(inbox.cli().json("parked", "groups", "--where", "consumer=billing"))
                .hasSize(1);
        assertThat(inbox.cli().json("parked", "groups", "--status", "failed-terminal"))
                .isEmpty();

        Cli.Result limited = inbox.cli().run("parked", "groups", "--limit", "1", "-o", "ndjson");
        assertThat(limited.out().lines()).hasSize(1).allMatch(line -> line.startsWith("{\"consumer\":\"shipping\""));
        assertThat(limited.err()).contains("raise --limit");
        List<?> yaml = (List<?>) new Load(LoadSettings.builder().build())
                .loadFromString(
                        inbox.cli().run("parked", "groups", "-o", "yaml").out());
        assertThat(yaml).hasSize(2);
        assertThat(inbox.cli().run("parked", "groups").out()).contains("GROUP", "LAST", "TITLE", "account # is closed");
        assertThat(inbox.cli().run("parked", "groups", "--limit", "0").exitCode())
                .isEqualTo(2);
    }

    @Test
    void aGroupIsRedrivenAndListedByItsId() {
        slow("billing", "1");
        closed("billing", "2", "3");
        String group = inbox.cli().json("parked", "groups").get(0).get("group").asText();

        assertThat(inbox.cli().json("parked", "list", "--group", group).findValuesAsText("id"))
                .containsExactly("2", "3");
        assertThat(inbox.cli()
                        .json("messages", "list", "--where", "group=" + group, "--type", "OrderPaid")
                        .findValuesAsText("group"))
                .isEmpty();
        assertThat(inbox.cli()
                        .json("messages", "list", "--where", "group=" + group)
                        .findValuesAsText("group"))
                .containsExactly(group, group);
        JsonNode redriven =
                inbox.cli().json("parked", "discard", "--group", group, "-y", "--reason", "closed for good");
        assertThat(redriven.get("done").asInt()).isEqualTo(2);
        assertThat(inbox.cli().json("parked", "groups").findValuesAsText("count"))
                .containsExactly("1");
        assertThat(inbox.cli().run("parked", "list", "--group", "nonsense").exitCode())
                .isEqualTo(2);
    }

    @Test
    void noteIsWrittenForTheConsumerOfTheGroup() {
        slow("billing", "1");
        String group = inbox.cli().json("parked", "groups").get(0).get("group").asText();

        JsonNode noted =
                inbox.cli().json("parked", "note", group, "the bank, ticket 42", "--reason", "seen", "--by", "anna");

        assertThat(noted.fieldNames()).toIterable().containsExactly("consumer", "group", "note", "operation");
        assertThat(noted.get("consumer").asText()).isEqualTo("billing");
        JsonNode note = inbox.cli().json("parked", "groups").at("/0/note");
        assertThat(note.get("text").asText()).isEqualTo("the bank, ticket 42");
        assertThat(note.get("by").asText()).isEqualTo("anna");
        assertThat(note.get("at").asText()).isNotEmpty();
        assertThat(inbox.cli().run("parked", "note", group, "why not").exitCode())
                .as("a note needs a reason")
                .isEqualTo(2);
    }

    @Test
    void ambiguousGroupNeedsConsumer() {
        slow("billing", "1");
        slow("shipping", "1");
        String group = inbox.cli().json("parked", "groups").get(0).get("group").asText();

        Cli.Result several = inbox.cli().run("parked", "note", group, "x", "--reason", "y");
        assertThat(several.exitCode()).isEqualTo(1);
        assertThat(several.err()).contains("billing, shipping");
        Cli.Result none = inbox.cli().run("parked", "note", UUID.randomUUID().toString(), "x", "--reason", "y");
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.err()).contains("No consumer has failures of group");
        assertThat(inbox.cli()
                        .run("parked", "note", group, "x", "--consumer", "shipping", "--reason", "y")
                        .exitCode())
                .isZero();
    }
}
