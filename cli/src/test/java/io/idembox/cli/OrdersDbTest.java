// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that change messages, and their reports. */
class OrdersDbTest {

    private final TestInbox inbox = new TestInbox().withTables();

    @AfterEach
    void close() {
        inbox.close();
    }

    private JsonNode order(String... args) {
        String[] all = new String[args.length + 3];
        System.arraycopy(args, 0, all, 0, args.length);
        all[args.length] = "-y";
        all[args.length + 1] = "--reason";
        all[args.length + 2] = "because";
        return inbox.cli().json(all);
    }

    private String status(String id) {
        return inbox.cli()
                .json("messages", "get", "billing", "/orders", id)
                .get("status")
                .asText();
    }

    @Test
    void dryRunChangesNothingAndCountsMatches() {
        inbox.parked("billing", "1", "2", "3");

        JsonNode preview = inbox.cli().json("parked", "discard", "--consumer", "billing", "--dry-run", "--limit", "2");

        assertThat(preview.get("selected").asInt()).isEqualTo(2);
        assertThat(preview.at("/matching/number").asInt()).isEqualTo(3);
        assertThat(preview.at("/matching/exact").asBoolean()).isTrue();
        assertThat(preview.get("messages").findValuesAsText("id")).containsExactly("1", "2");
        assertThat(status("1")).isEqualTo("PARKED");
    }

    @Test
    void noOrMissingAnswerChangesNothing() {
        inbox.parked("billing", "1");
        for (String answer : new String[] {"n", "", "nonsense"}) {
            Cli.Result result =
                    inbox.cli().typing(answer).run("parked", "discard", "--consumer", "billing", "--reason", "because");

            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.err()).contains("Discard 1 message of billing? [y/N]", "Nothing was done.");
            assertThat(result.out()).isEmpty();
        }
        assertThat(status("1")).isEqualTo("PARKED");
    }

    @Test
    void messagesAreDiscardedRestoredRedrivenAndParkedById() {
        inbox.parked("billing", "1", "2");

        assertThat(order("parked", "discard", "--consumer", "billing", "--source", "/orders", "--id", "1")
                        .get("done")
                        .asInt())
                .isEqualTo(1);
        assertThat(status("1")).isEqualTo("DISCARDED");
        assertThat(status("2")).isEqualTo("PARKED");
        assertThat(order("parked", "restore", "--consumer", "billing")
                        .get("done")
                        .asInt())
                .isEqualTo(1);
        assertThat(status("1")).isEqualTo("PARKED");
        assertThat(order("parked", "redrive", "--consumer", "billing")
                        .get("done")
                        .asInt())
                .isEqualTo(2);
        assertThat(status("1")).isEqualTo("FAILED_RETRYABLE");
        assertThat(order("parked", "park", "--consumer", "billing", "--source", "/orders", "--id", "1", "--id", "2")
                        .get("done")
                        .asInt())
                .isEqualTo(2);
        assertThat(status("2")).isEqualTo("PARKED");

        JsonNode known = inbox.cli().json("messages", "get", "billing", "/orders", "1");
        assertThat(known.get("operations").findValuesAsText("command"))
                .containsExactly("DISCARD", "RESTORE", "REDRIVE", "PARK");
        assertThat(known.get("operations").findValuesAsText("reason")).containsOnly("because");
        assertThat(known.get("operations").findValuesAsText("by")).containsOnly(System.getProperty("user.name"));
    }

    @Test
    void auditTrailHasFilterUnlessSelectedById() {
        inbox.parked("billing", "1", "2");

        order("parked", "redrive", "--consumer", "billing", "--error", "io.idembox.HandlerException");
        order("parked", "park", "--where", "consumer=billing and attempts>=1");
        order("parked", "discard", "--consumer", "billing", "--source", "/orders", "--id", "1");

        JsonNode audit = inbox.cli().json("audit", "list");
        assertThat(audit.at("/0/filter").asText())
                .isEqualTo(
                        "consumer='billing' and status in (FAILED_TERMINAL, PARKED) and error='io.idembox.HandlerException'");
        assertThat(audit.at("/1/filter").asText()).endsWith(" and consumer=billing and attempts>=1");
        assertThat(audit.at("/2/filter").isNull()).isTrue();
    }

    @Test
    void refusedMessagesAreReportedWithVerdict() {
        inbox.parked("billing", "1");

        Cli.Result result = inbox.cli()
                .run(
                        "parked",
                        "restore",
                        "--consumer",
                        "billing",
                        "--source",
                        "/orders",
                        "--id",
                        "1",
                        "--id",
                        "2",
                        "-y",
                        "--reason",
                        "because",
                        "-o",
                        "json");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.json().get("done").asInt()).isZero();
        assertThat(result.json().get("refusals").findValuesAsText("verdict"))
                .containsExactly("NOT_APPLICABLE", "UNKNOWN");
        assertThat(result.err()).contains("0 of 2 messages restored");
    }

    @Test
    void manyMessagesRunInBatchesWithProgressOnTerminals() {
        inbox.stored("billing", 2_100);

        Cli.Result result = inbox.cli()
                .onATerminal()
                .run("parked", "park", "--consumer", "billing", "--limit", "2050", "-y", "--reason", "x", "-o", "json");

        assertThat(result.exitCode()).isZero();
        assertThat(result.json().get("done").asInt()).isEqualTo(2_050);
        assertThat(result.json().get("operations").findValuesAsText("done")).containsExactly("1000", "1000", "50");
        assertThat(result.json().get("operations").findValuesAsText("operation"))
                .doesNotHaveDuplicates();
        assertThat(result.err()).contains("2000 of 2050 …").contains("50 more match beyond --limit");
        assertThat(inbox.cli()
                        .run("parked", "park", "--consumer", "billing", "-y", "--reason", "x")
                        .err())
                .doesNotContain("…")
                .contains("50 of 50 messages parked.");
    }

    @Test
    void selectionOptionsAreRequired() {
        inbox.parked("billing", "1").parked("shipping", "1", "2");

        assertThat(order("parked", "redrive", "--error", "io.idembox.HandlerException")
                        .get("operations")
                        .findValuesAsText("consumer"))
                .containsExactly("billing", "shipping");
        Cli.Result everything = inbox.cli().run("parked", "redrive", "-y", "--reason", "x");
        assertThat(everything.exitCode()).isEqualTo(2);
        assertThat(everything.err()).contains("Specify which messages");
        assertThat(inbox.cli()
                        .run("parked", "redrive", "--source", "", "--id", "1", "-y", "--reason", "x")
                        .err())
                .contains("--id needs a consumer");
    }

    @Test
    void noMatchIsNotAFailure() {
        Cli.Result result = inbox.cli().run("parked", "redrive", "--consumer", "billing", "--reason", "x");

        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).isEqualTo("No consumer named billing is known.\nNo messages match.\n");
        assertThat(inbox.cli().run("messages", "list", "--consumer", "biling").err())
                .isEqualTo("No consumer named biling is known.\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "100001", "many"})
    void invalidLimitIsRefused(String limit) {
        assertThat(inbox.cli()
                        .run("parked", "redrive", "--consumer", "billing", "--reason", "x", "--limit", limit)
                        .exitCode())
                .isEqualTo(2);
    }
}
