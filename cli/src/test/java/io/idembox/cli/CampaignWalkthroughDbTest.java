// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many messages fail for one cause; a redrive stops at its canary, the cause is fixed, it resumes. On PostgreSQL. */
class CampaignWalkthroughDbTest {

    private static final ConsumerPolicy ONCE = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .retry(RetryPolicy.exponential(1, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));
    private static final int MESSAGES = 30;
    private static final int CANARY = 5;

    private final PostgresDatabase database = PostgresServer.shared().freshDatabase();
    private final AtomicBoolean bankIsOpen = new AtomicBoolean();

    private Cli cli() {
        return Cli.on(database);
    }

    private Inbox application() {
        Inbox inbox = Inbox.on(database.dataSource()).createSchema().start();
        inbox.subscribe("billing")
                .policy(ONCE)
                .on("OrderPlaced", String.class, (order, ctx) -> {
                    if (!bankIsOpen.get()) {
                        throw new IllegalStateException(
                                "no answer for order " + ctx.id().id());
                    }
                })
                .start();
        return inbox;
    }

    /** All messages fail, and the application is closed again. */
    private void failAllMessages() {
        try (Inbox inbox = Inbox.on(database.dataSource()).createSchema().start()) {
            List<Message> all = IntStream.range(0, MESSAGES)
                    .mapToObj(each -> TestInbox.order(Integer.toString(each)))
                    .toList();
            inbox.subscribe("billing")
                    .policy(ONCE.mode(Mode.DIRECT))
                    .on("OrderPlaced", String.class, (order, ctx) -> {
                        throw new IllegalStateException(
                                "no answer for order " + ctx.id().id());
                    })
                    .handleAll(all);
        }
    }

    @Test
    void campaignStopsAtCanaryAndCompletesAfterResume() {
        failAllMessages();
        JsonNode groups = cli().json("parked", "groups");
        assertThat(groups.findValuesAsText("count")).containsExactly(Integer.toString(MESSAGES));
        String group = groups.at("/0/group").asText();

        try (Inbox application = application()) {
            Cli.Result stopped = cli().onATerminal()
                    .run(
                            "parked",
                            "redrive",
                            "--group",
                            group,
                            "--canary",
                            "5",
                            "--stop-on-failures",
                            "20%",
                            "-y",
                            "--reason",
                            "the bank is back",
                            "-o",
                            "json");

            assertThat(stopped.exitCode()).isEqualTo(3);
            JsonNode campaign = stopped.json().at("/campaigns/0");
            String id = campaign.get("id").asText();
            assertThat(campaign.get("state").asText()).isEqualTo("STOPPED");
            assertThat(campaign.get("given").asInt()).isEqualTo(CANARY);
            assertThat(campaign.get("failed").asInt()).isEqualTo(CANARY);
            assertThat(stopped.err())
                    .contains("5 of 30 redriven", "idembox operations resume " + id)
                    .contains("5 of the 5 latest messages failed.");
            assertThat(cli().run("operations", "run", id).exitCode()).isEqualTo(3);

            bankIsOpen.set(true);
            Cli.Result resumed = cli().run("operations", "resume", id, "--reason", "now it is", "-o", "json");

            assertThat(resumed.exitCode()).as("reports the failed canary").isEqualTo(1);
            assertThat(resumed.err()).contains("30 of 30 messages redriven, 5 failed.");
            assertThat(resumed.json().get("state").asText()).isEqualTo("DONE");
            assertThat(resumed.json().get("done").asInt()).isEqualTo(MESSAGES);
            assertThat(cli().json("parked", "list"))
                    .as("failed messages of the canary stay as they are")
                    .hasSize(CANARY);

            Cli.Result rest = cli().run(
                            "parked",
                            "redrive",
                            "--consumer",
                            "billing",
                            "--rate",
                            "100/s",
                            "-y",
                            "--reason",
                            "those, too");

            assertThat(rest.exitCode()).as(rest.err()).isZero();
            assertThat(cli().json("parked", "list")).isEmpty();
            assertThat(application.admin().find("billing", new MessageId("/orders", "0")))
                    .isPresent();
        }
    }

    /** As with Ctrl-C: the process is terminated while the campaign waits for a node that runs its messages. */
    @Test
    void interruptedCommandLeavesCampaignRunning() throws Exception {
        failAllMessages();
        String id = cli().json("parked", "redrive", "--consumer", "billing", "--dry-run")
                .at("/previews/0/preview")
                .asText();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Didembox.terminal.err=true",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "operations",
                        "start",
                        id,
                        "-y",
                        "--reason",
                        "as previewed",
                        "--jdbc",
                        "jdbc:postgresql://127.0.0.1:" + PostgresServer.shared().port() + "/" + database.name(),
                        "--user",
                        "postgres")
                .start();
        try (BufferedReader err =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            StringBuilder seen = new StringBuilder();
            while (seen.indexOf("30 of 30 redriven") < 0) {
                int next = err.read();
                assertThat(next).as(seen.toString()).isNotNegative();
                seen.append((char) next);
            }

            assertThat(process.toHandle().destroy()).isTrue();

            assertThat(err.lines().toList())
                    .anyMatch(line -> line.contains("Campaign " + id + " is left running"))
                    .anyMatch(line -> line.contains("idembox operations run " + id));
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(cli().json("operations", "describe", id).get("state").asText())
                .isEqualTo("RUNNING");

        bankIsOpen.set(true);
        try (Inbox application = application()) {
            assertThat(cli().run("operations", "run", id).exitCode()).isZero();
            assertThat(application
                            .admin()
                            .campaigns()
                            .find(id)
                            .orElseThrow()
                            .progress()
                            .done())
                    .isEqualTo(MESSAGES);
        }
    }
}
