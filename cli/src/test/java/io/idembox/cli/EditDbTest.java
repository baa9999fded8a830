// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A payload is exported, edited in a file and put back; the original is kept. */
class EditDbTest {

    private static final String EDITED = "{\"secret\":\"edited\"}";

    private final TestInbox inbox = new TestInbox().parked("billing", "1");

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void writeEditedPayload() throws IOException {
        file = Files.writeString(folder.resolve("edited.json"), EDITED);
    }

    @AfterEach
    void close() {
        inbox.close();
    }

    private Cli.Result edit(String id, String... more) {
        return inbox.cli().run(args(id, more));
    }

    private String[] args(String id, String... more) {
        return joined(List.of("parked", "edit", "billing", "/orders", id, "--payload", file.toString()), more);
    }

    private String payload(String... more) {
        return inbox.cli()
                .run(joined(
                        List.of("messages", "payload", "billing", "/orders", "1", "--reason", "look", "--raw"), more))
                .out();
    }

    private static String[] joined(List<String> args, String... more) {
        return Stream.concat(args.stream(), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void editReplacesPayloadAndKeepsOriginal() {
        JsonNode edited = inbox.cli().json(args("1", "-y", "--reason", "ticket 42", "--by", "anna"));

        assertThat(edited.fieldNames())
                .toIterable()
                .containsExactly("consumer", "source", "id", "done", "verdict", "bytes", "contentType", "operation");
        assertThat(edited.get("done").asBoolean()).isTrue();
        assertThat(edited.get("contentType").asText())
                .as("content type of the original")
                .isEqualTo("application/json");
        assertThat(payload()).isEqualTo(EDITED);
        assertThat(payload("--revision", "0")).isEqualTo("{\"secret\":\"payload\"}");
        JsonNode entry = inbox.cli().json("audit", "list").get(0);
        assertThat(entry.get("command").asText()).isEqualTo("EDIT");
        assertThat(entry.get("by").asText()).isEqualTo("anna");
        assertThat(entry.get("operation").asText())
                .isEqualTo(edited.get("operation").asText());
        assertThat(inbox.cli()
                        .run("parked", "redrive", "--consumer", "billing", "-y", "--reason", "edited")
                        .exitCode())
                .isZero();
    }

    @Test
    void confirmationShowsOldAndNewPayload() {
        Cli.Result no = edit("1", "--reason", "ticket 42", "--content-type", "text/plain");

        assertThat(no.exitCode()).isEqualTo(1);
        assertThat(no.err())
                .contains(
                        "Replace the payload of /orders/1 of billing (20 bytes) with 19 bytes of text/plain? [y/N]",
                        "Nothing was done.");
        assertThat(payload()).isEqualTo("{\"secret\":\"payload\"}");
        assertThat(inbox.cli()
                        .typing("y")
                        .run(args("1", "--reason", "ticket 42"))
                        .err())
                .contains("redrive it");
        assertThat(payload()).isEqualTo(EDITED);
    }

    @Test
    void refusalIsReportedInOneLine() throws IOException {
        assertThat(edit("1", "-y").err()).contains("--reason");
        Cli.Result unseen = edit("2", "-y", "--reason", "x");
        assertThat(unseen.exitCode()).isEqualTo(1);
        assertThat(unseen.err()).contains("has not received");
        inbox.cli().run("parked", "discard", "--consumer", "billing", "-y", "--reason", "gone");
        Cli.Result discarded = edit("1", "-y", "--reason", "x", "-o", "json");
        assertThat(discarded.exitCode()).isEqualTo(1);
        assertThat(discarded.json().get("verdict").asText()).isEqualTo("NOT_APPLICABLE");
        assertThat(discarded.err())
                .isEqualTo("Nothing was changed: the command does not apply to messages in this state.\n");
        Files.delete(file);
        Cli.Result missing = edit("1", "-y", "--reason", "x");
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err())
                .startsWith("idembox: The payload cannot be read")
                .hasLineCount(1);
        Files.writeString(file, "x".repeat(2_000_000));
        assertThat(edit("1", "-y", "--reason", "x").exitCode()).isEqualTo(1);
    }
}
