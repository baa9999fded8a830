// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.HandlerException;
import io.idembox.Headers;
import io.idembox.Headers.Header;
import io.idembox.Inbox;
import io.idembox.Payload;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reading a payload requires a reason and is recorded. */
class PayloadDbTest {

    /** One name occurs twice, as brokers allow; one value is not text. */
    private static final Headers HEADERS = Headers.of(List.of(
            Header.of("trace", "t-1"), Header.of("trace", "t-2"), Header.of("raw", new byte[] {(byte) 0xff, 0})));

    private final TestInbox inbox = new TestInbox().withTables();

    @AfterEach
    void close() {
        inbox.close();
    }

    private void park(String id, Payload payload) {
        try (Inbox writing = Inbox.on(inbox.dataSource()).start()) {
            writing.handle("billing", TestInbox.order(id).payload(payload).headers(HEADERS), ctx -> {
                throw HandlerException.park("look at it");
            });
        }
    }

    @Test
    void payloadIsShownWithHeadersAndReadIsAudited() {
        park("1", Payload.json("{\"secret\":1}"));

        JsonNode read = inbox.cli()
                .json("messages", "payload", "billing", "/orders", "1", "--reason", "ticket 42", "--by", "anna");

        assertThat(read.fieldNames())
                .toIterable()
                .containsExactly(
                        "consumer",
                        "source",
                        "id",
                        "revision",
                        "type",
                        "typeVersion",
                        "tombstone",
                        "contentType",
                        "bytes",
                        "headers",
                        "payload",
                        "base64",
                        "operation");
        assertThat(read.get("payload").asText()).isEqualTo("{\"secret\":1}");
        assertThat(read.get("base64").isNull()).isTrue();
        assertThat(read.get("headers"))
                .hasToString("[{\"name\":\"trace\",\"value\":\"t-1\",\"base64\":null},"
                        + "{\"name\":\"trace\",\"value\":\"t-2\",\"base64\":null},"
                        + "{\"name\":\"raw\",\"value\":null,\"base64\":\"/wA=\"}]");
        JsonNode entry = inbox.cli().json("audit", "list").get(0);
        assertThat(entry.get("command").asText()).isEqualTo("READ");
        assertThat(entry.get("by").asText()).isEqualTo("anna");
        assertThat(entry.get("reason").asText()).isEqualTo("ticket 42");
        assertThat(entry.get("operation").asText())
                .isEqualTo(read.get("operation").asText());
        assertThat(inbox.cli()
                        .run("messages", "payload", "billing", "/orders", "1", "--raw", "--reason", "x")
                        .out())
                .isEqualTo("{\"secret\":1}");
        assertThat(inbox.cli()
                        .run("messages", "payload", "billing", "/orders", "1", "--revision", "0", "--reason", "x")
                        .exitCode())
                .isZero();
    }

    @Test
    void payloadNeedsReasonAndRawRefusesTerminal() {
        park("1", Payload.json("{\"secret\":1}"));

        Cli.Result silent = inbox.cli().run("messages", "payload", "billing", "/orders", "1");
        assertThat(silent.exitCode()).isEqualTo(2);
        assertThat(silent.out()).isEmpty();
        Cli.Result terminal = inbox.cli()
                .onATerminal()
                .run("messages", "payload", "billing", "/orders", "1", "--raw", "--reason", "x");
        assertThat(terminal.exitCode()).isEqualTo(2);
        assertThat(terminal.out()).isEmpty();
        assertThat(inbox.cli().json("audit", "list")).isEmpty();
    }

    @Test
    void binaryPayloadIsBase64AndMissingPayloadIsReported() {
        park("1", Payload.of(new byte[] {(byte) 0xff, 0}, Payload.BINARY));

        JsonNode read = inbox.cli().json("messages", "payload", "billing", "/orders", "1", "--reason", "x");
        assertThat(read.get("payload").isNull()).isTrue();
        assertThat(read.get("base64").asText()).isEqualTo("/wA=");
        assertThat(inbox.cli()
                        .run("messages", "payload", "billing", "/orders", "1", "--raw", "--reason", "x")
                        .exitCode())
                .isEqualTo(1);
        for (String[] args : new String[][] {
            {"messages", "payload", "billing", "/orders", "2", "--reason", "x"},
            {"messages", "payload", "billing", "/orders", "1", "--revision", "7", "--reason", "x"}
        }) {
            Cli.Result nothing = inbox.cli().run(args);
            assertThat(nothing.exitCode()).isEqualTo(1);
            assertThat(nothing.err()).startsWith("idembox: There is no payload");
        }
    }
}
