// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Subscription;
import io.idembox.intent.SendResult;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outbox, intents and ordered consumers. */
class InsideDbTest {

    private final TestInbox inbox = new TestInbox().withTables();
    private String policies = "";

    @BeforeEach
    void writePolicies(@TempDir Path directory) throws Exception {
        policies = Files.writeString(directory.resolve("policies.yaml"), """
                        consumers:
                          ordered: { mode: stored, ordering: hold, owner: team-orders }
                        outbox:
                          receipts: {}
                        """).toString();
    }

    @AfterEach
    void close() {
        inbox.close();
    }

    private void send(String... ids) {
        try (Inbox sending = Inbox.on(inbox.dataSource()).outbox("receipts").start()) {
            sending.handle("billing", TestInbox.order("1"), ctx -> {
                for (String id : ids) {
                    ctx.outbox()
                            .send(
                                    "receipts",
                                    Message.of(id, "ReceiptRequested", "{}").keyed("42"));
                }
            });
        }
    }

    @Test
    void outboxIsListedAndAcceptsCommandsWithItsPolicy() {
        send("r-1", "r-2");

        JsonNode status = inbox.cli().json("outbox", "status");
        assertThat(status.findValuesAsText("consumer")).containsExactly("outbox/receipts");
        assertThat(status.at("/0/waiting/number").asInt()).isEqualTo(2);
        JsonNode rows = inbox.cli().json("outbox", "list", "--destination", "receipts");
        assertThat(rows.findValuesAsText("id")).containsExactly("r-1", "r-2");
        assertThat(rows.findValuesAsText("source")).containsOnly("/receipts");
        assertThat(inbox.cli().json("outbox", "list", "--destination", "others"))
                .isEmpty();
        assertThat(inbox.cli().json("messages", "list")).isEmpty();

        String[] park = {
            "outbox",
            "park",
            "--destination",
            "receipts",
            "--source",
            "/receipts",
            "--id",
            "r-1",
            "-y",
            "--reason",
            "x",
            "-o",
            "json"
        };
        Cli.Result refused = inbox.cli().run(park);
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.json().at("/refusals/0/verdict").asText()).isEqualTo("ORDER_UNKNOWN");
        assertThat(refused.err()).contains("--policies");

        Cli.Result parked = inbox.cli().run(with(park, "--policies", policies));
        assertThat(parked.json().get("done").asInt()).isEqualTo(1);
        for (String verb : List.of("discard", "restore", "redrive")) {
            JsonNode done = inbox.cli()
                    .json(
                            "outbox",
                            verb,
                            "--destination",
                            "receipts",
                            "--source",
                            "/receipts",
                            "--id",
                            "r-1",
                            "-y",
                            "--reason",
                            "x",
                            "--policies",
                            policies);
            assertThat(done.get("command").asText()).isEqualTo(verb);
            assertThat(done.get("done").asInt()).isEqualTo(1);
        }
    }

    private static String[] with(String[] args, String... more) {
        return Stream.of(args, more).flatMap(Stream::of).toArray(String[]::new);
    }

    @Test
    void unknownIntentsAreListedExplainedAndRedriven() throws Exception {
        CountDownLatch tried = new CountDownLatch(1);
        try (Inbox intending = Inbox.on(inbox.dataSource()).start()) {
            Subscription billing = intending
                    .subscribe("billing")
                    .intent("charge", String.class, intent -> {
                        tried.countDown();
                        return SendResult.unknown("no answer");
                    })
                    .on("OrderPlaced", String.class, (order, ctx) -> ctx.intend("charge", "{}"));
            billing.handle(TestInbox.order("1"));
            assertThat(tried.await(30, TimeUnit.SECONDS)).isTrue();
            // close() waits until the intents in progress are settled.
        }

        JsonNode rows = inbox.cli().json("intents", "list", "--intent", "billing");
        assertThat(rows.findValuesAsText("consumer")).containsExactly("billing/charge");
        assertThat(rows.at("/0/reason").asText()).isEqualTo("UNKNOWN");
        String source = rows.at("/0/source").asText();
        String id = rows.at("/0/id").asText();
        assertThat(inbox.cli()
                        .json("intents", "explain", "billing/charge", source, id)
                        .get("sentences")
                        .toString())
                .contains("no answer");
        assertThat(inbox.cli().run("intents", "explain", "billing", source, id).exitCode())
                .isEqualTo(2);
        for (String verb : List.of("discard", "restore", "redrive", "park")) {
            JsonNode done = inbox.cli()
                    .json(
                            "intents",
                            verb,
                            "--intent",
                            "billing/charge",
                            "--source",
                            source,
                            "--id",
                            id,
                            "-y",
                            "--reason",
                            "x");
            assertThat(done.get("done").asInt()).as(verb + " " + done).isEqualTo(1);
        }
        assertThat(inbox.cli()
                        .json("intents", "redrive", "--intent", "billing", "--dry-run")
                        .get("selected")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void blockedKeysAreListedWithTheirFrontMessage() {
        ConsumerPolicy policy = ConsumerPolicy.defaults().mode(Mode.STORED).ordering(Ordering.HOLD);
        try (Inbox storing =
                Inbox.on(inbox.dataSource()).consumer("ordered", policy).start()) {
            for (String id : List.of("1", "2", "3")) {
                storing.store("ordered", TestInbox.order(id).keyed("42"));
            }
            storing.store("ordered", TestInbox.order("4").keyed("43"));
        }

        JsonNode rows = inbox.cli().json("keys", "list", "--blocked", "--consumer", "ordered");

        assertThat(rows).hasSize(1);
        assertThat(rows.at("/0/key").asText()).isEqualTo("42");
        assertThat(rows.at("/0/waiting").asInt()).isEqualTo(2);
        assertThat(rows.at("/0/front/id").asText()).isEqualTo("1");
        assertThat(rows.at("/0/front/status").asText()).isEqualTo("RECEIVED");
        assertThat(inbox.cli().run("keys", "list", "--consumer", "ordered").exitCode())
                .isEqualTo(2);
        JsonNode described = inbox.cli().json("consumers", "describe", "ordered", "--policies", policies);
        assertThat(described.at("/policy/ordering").asText()).isEqualTo("HOLD");
        assertThat(described.at("/policy/owner").asText()).isEqualTo("team-orders");
    }

    @Test
    void deadLettersNeedThePolicyOfTheirConsumerAndABroker() {
        String[] kafka = {"import-dlt", "kafka", "--topic", "orders-dlt", "--consumer", "billing"};

        assertThat(inbox.cli().run(kafka).err()).contains("--brokers");
        Cli.Result result = inbox.cli().run(with(kafka, "--brokers", "127.0.0.1:1", "--policies", policies));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("policy of consumer billing", "--policies");
    }
}
