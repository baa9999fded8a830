// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Campaigns on the command line: planned, started, listed, cancelled, and reported. */
class OperationsDbTest {

    private static final String[] FIELDS = {
        "id",
        "command",
        "consumer",
        "state",
        "total",
        "given",
        "done",
        "refused",
        "failed",
        "open",
        "canary",
        "perSecond",
        "stopAbove",
        "by",
        "reason",
        "filter",
        "plannedAt",
        "changedAt",
        "note"
    };

    private final TestInbox inbox = new TestInbox().withTables();

    @AfterEach
    void close() {
        inbox.close();
    }

    private String preview(String verb, String... more) {
        String[] args = Stream.concat(Stream.of("parked", verb, "--consumer", "billing", "--dry-run"), Stream.of(more))
                .toArray(String[]::new);
        return inbox.cli().json(args).at("/previews/0/preview").asText();
    }

    private String status(String id) {
        return inbox.cli()
                .json("messages", "get", "billing", "/orders", id)
                .get("status")
                .asText();
    }

    @Test
    void dryRunIsStoredAndChangesNothing() {
        inbox.parked("billing", "1", "2", "3");

        Cli.Result dry = inbox.cli()
                .run(
                        "parked",
                        "discard",
                        "--consumer",
                        "billing",
                        "--dry-run",
                        "--canary",
                        "1",
                        "--rate",
                        "50/s",
                        "--error",
                        "io.idembox.HandlerException",
                        "--stop-on-failures",
                        "5%",
                        "-o",
                        "json");

        assertThat(dry.exitCode()).isZero();
        assertThat(dry.json().fieldNames())
                .toIterable()
                .containsExactly("command", "dryRun", "selected", "matching", "previews", "unknown", "messages");
        JsonNode preview = dry.json().at("/previews/0");
        assertThat(preview.fieldNames()).toIterable().containsExactly("preview", "consumer", "messages");
        assertThat(preview.get("messages").asInt()).isEqualTo(3);
        String id = preview.get("preview").asText();
        assertThat(dry.err()).contains("Preview " + id + " holds 3 messages of billing", "--preview " + id);
        JsonNode kept = inbox.cli().json("operations", "describe", id);
        assertThat(kept.get("state").asText()).isEqualTo("PLANNED");
        assertThat(kept.get("canary").asInt()).isEqualTo(1);
        assertThat(kept.get("perSecond").asInt()).isEqualTo(50);
        assertThat(kept.get("stopAbove").asDouble()).isEqualTo(0.05);
        assertThat(kept.get("filter").asText())
                .isEqualTo(
                        "consumer='billing' and status in (FAILED_TERMINAL, PARKED) and error='io.idembox.HandlerException'");
        assertThat(status("1")).isEqualTo("PARKED");
    }

    @Test
    void previewRefusesMessagesThatChangedSince() {
        inbox.parked("billing", "1", "2", "3");
        String id = preview("discard");
        inbox.cli()
                .run(
                        "parked",
                        "redrive",
                        "--consumer",
                        "billing",
                        "--source",
                        "/orders",
                        "--id",
                        "2",
                        "-y",
                        "--reason",
                        "by hand");
        inbox.parked("billing", "4");

        Cli.Result no = inbox.cli().typing("n").run("parked", "discard", "--preview", id, "--reason", "as agreed");
        assertThat(no.exitCode()).isEqualTo(1);
        assertThat(no.err()).contains("Discard 3 messages of billing? [y/N]", "Nothing was done.");
        Cli.Result result =
                inbox.cli().run("parked", "discard", "--preview", id, "--reason", "as agreed", "-y", "-o", "json");

        assertThat(result.exitCode()).as("something was refused").isEqualTo(1);
        assertThat(result.json().fieldNames()).toIterable().containsExactly("command", "done", "refused", "campaigns");
        assertThat(result.json().get("done").asInt()).isEqualTo(2);
        assertThat(result.json().get("refused").asInt()).isEqualTo(1);
        assertThat(result.json().at("/campaigns/0/state").asText()).isEqualTo("DONE");
        assertThat(Stream.of("1", "2", "3", "4").map(this::status))
                .containsExactly("DISCARDED", "FAILED_RETRYABLE", "DISCARDED", "PARKED");
        Cli.Result again = inbox.cli().run("parked", "discard", "--preview", id, "--reason", "again", "-y");
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.err()).contains("cannot be started twice");
    }

    @Test
    void previewAllowsNoOtherOptionsOrCommand() {
        inbox.parked("billing", "1");
        String id = preview("discard");

        assertThat(inbox.cli()
                        .run("parked", "discard", "--preview", id, "--consumer", "billing", "--reason", "x")
                        .exitCode())
                .isEqualTo(2);
        assertThat(inbox.cli()
                        .run("parked", "discard", "--preview", id, "--canary", "1", "--reason", "x")
                        .exitCode())
                .isEqualTo(2);
        Cli.Result other = inbox.cli().run("parked", "redrive", "--preview", id, "--reason", "x", "-y");
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(other.err()).contains("messages are discarded, not redriven");
        assertThat(inbox.cli().run("parked", "discard", "--preview", id, "-y").err())
                .contains("--reason");
    }

    @Test
    void paceOptionsStartACampaignWithReasonInAuditTrail() {
        inbox.parked("billing", "1", "2", "3");

        Cli.Result result = inbox.cli()
                .onATerminal()
                .run(
                        "parked",
                        "discard",
                        "--consumer",
                        "billing",
                        "--canary",
                        "2",
                        "-y",
                        "--reason",
                        "paid by hand",
                        "-o",
                        "json");

        assertThat(result.exitCode()).isZero();
        assertThat(result.json().get("done").asInt()).isEqualTo(3);
        assertThat(result.err()).contains("\r\u001b[2K[####################] 3 of 3 discarded\n", "is done: 3 of 3");
        assertThat(inbox.cli().json("audit", "list").findValuesAsText("command"))
                .containsExactly("START", "DISCARD", "DISCARD");
        assertThat(inbox.cli().json("audit", "list").findValuesAsText("reason")).containsOnly("paid by hand");
    }

    @Test
    void eachConsumerGetsItsOwnCampaign() {
        inbox.parked("billing", "1").parked("shipping", "1", "2");

        Cli.Result result = inbox.cli()
                .typing("y")
                .run(
                        "parked",
                        "discard",
                        "--error",
                        "io.idembox.HandlerException",
                        "--rate",
                        "100/s",
                        "--reason",
                        "x",
                        "-o",
                        "json");

        assertThat(result.err()).contains("Discard 3 messages of 2 consumers? [y/N]");
        assertThat(result.json().get("campaigns").findValuesAsText("consumer")).containsExactly("billing", "shipping");
        assertThat(result.json().get("done").asInt()).isEqualTo(3);
    }

    @Test
    void manyMessagesStartACampaignUnlessLimited() {
        inbox.stored("billing", 1_100);

        JsonNode dry = inbox.cli().json("parked", "park", "--consumer", "billing", "--dry-run");
        assertThat(dry.get("selected").asInt()).isEqualTo(1_100);
        assertThat(dry.at("/previews/0/messages").asInt()).isEqualTo(1_100);
        assertThat(dry.get("messages")).hasSize(1_000);
        JsonNode first =
                inbox.cli().json("parked", "park", "--consumer", "billing", "--limit", "50", "-y", "--reason", "x");
        assertThat(first.has("operations")).isTrue();
        assertThat(first.get("done").asInt()).isEqualTo(50);
        JsonNode rest = inbox.cli().json("parked", "park", "--consumer", "billing", "-y", "--reason", "x");
        assertThat(rest.at("/campaigns/0/done").asInt()).isEqualTo(1_050);
    }

    @Test
    void conflictingOptionsAreRefused() {
        inbox.parked("billing", "1");
        String[] redrive = {"parked", "redrive", "--consumer", "billing", "--reason", "x"};

        assertThat(run(redrive, "--canary", "1", "--limit", "5").exitCode()).isEqualTo(2);
        assertThat(run(redrive, "--rate", "5/s", "--source", "/orders", "--id", "1")
                        .err())
                .contains("cannot be combined with --id");
        assertThat(run(redrive, "--canary", "1001").exitCode()).isEqualTo(2);
        assertThat(run(redrive, "--rate", "fast").exitCode()).isEqualTo(2);
        assertThat(inbox.cli().json("operations", "list")).isEmpty();
    }

    private Cli.Result run(String[] args, String... more) {
        return inbox.cli().run(Stream.of(args, more).flatMap(Stream::of).toArray(String[]::new));
    }

    @Test
    void campaignsAreListedAndDescribedInEveryFormat() {
        inbox.parked("billing", "1", "2");
        String older = preview("discard");
        String newer = preview("redrive", "--reason", "the bank is back", "--by", "anna");

        JsonNode rows = inbox.cli().json("operations", "list");

        assertThat(rows.findValuesAsText("id")).containsExactly(newer, older);
        assertThat(rows.get(0).fieldNames()).toIterable().containsExactly(FIELDS);
        assertThat(rows.at("/0/by").asText()).isEqualTo("anna");
        assertThat(rows.at("/0/reason").asText()).isEqualTo("the bank is back");
        assertThat(rows.at("/1/reason").asText()).contains("preview; the reason is given at start");
        Cli.Result one = inbox.cli().run("operations", "list", "--limit", "1", "-o", "ndjson");
        assertThat(one.out().lines()).hasSize(1).allMatch(line -> line.startsWith("{\"id\":\"" + newer));
        assertThat(one.err()).contains("raise --limit");
        List<?> yaml = (List<?>) new Load(LoadSettings.builder().build())
                .loadFromString(
                        inbox.cli().run("operations", "list", "-o", "yaml").out());
        assertThat(yaml).hasSize(2);
        assertThat(inbox.cli().run("operations", "list").out())
                .contains("STATE", "PLANNED", "REDRIVE", "DISCARD")
                .contains(older);
        assertThat(inbox.cli().run("operations", "list", "--limit", "0").exitCode())
                .isEqualTo(2);

        assertThat(inbox.cli().json("operations", "describe", older).fieldNames())
                .toIterable()
                .containsExactly(FIELDS);
        Cli.Result text = inbox.cli().run("operations", "describe", older);
        assertThat(text.out()).contains("state      PLANNED");
        assertThat(text.err()).contains("Start: idembox operations start " + older);
        Cli.Result unknown = inbox.cli().run("operations", "describe", "nonsense");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.err()).contains("There is no campaign nonsense");
    }

    @Test
    void campaignIsStartedDetachedCancelledAndResumed() {
        inbox.parked("billing", "1", "2");
        String id = preview("redrive");
        String[] reason = {"--reason", "x", "-y"};

        assertThat(run(new String[] {"operations", "run", id}).exitCode())
                .as("planned")
                .isEqualTo(1);
        assertThat(run(new String[] {"operations", "resume", id}, reason).err())
                .contains("Start: idembox operations start");
        assertThat(run(new String[] {"operations", "start", id}).err()).contains("--reason");
        assertThat(inbox.cli()
                        .typing("n")
                        .run("operations", "start", id, "--reason", "x")
                        .err())
                .contains("Redrive 2 messages of billing? [y/N]");
        Cli.Result started = run(new String[] {"operations", "start", id, "--detach", "-o", "json"}, reason);
        assertThat(started.exitCode()).isZero();
        assertThat(started.json().get("state").asText()).isEqualTo("RUNNING");
        assertThat(started.err()).contains("idembox operations run " + id);

        Cli.Result cancelled = run(new String[] {"operations", "cancel", id, "-o", "json"}, reason);
        assertThat(cancelled.exitCode()).isZero();
        assertThat(cancelled.json().get("state").asText()).isEqualTo("CANCELLED");
        assertThat(cancelled.json().get("note").asText())
                .startsWith("Cancelled by ")
                .contains(": x");
        assertThat(run(new String[] {"operations", "run", id}).exitCode()).isEqualTo(3);

        Cli.Result resumed = run(new String[] {"operations", "resume", id, "--detach", "-o", "json"}, reason);
        assertThat(resumed.json().get("state").asText()).isEqualTo("RUNNING");
        assertThat(run(new String[] {"operations", "cancel", "nonsense"}, reason)
                        .exitCode())
                .isEqualTo(1);
    }

    @Test
    void completedCampaignIsNotChanged() {
        inbox.parked("billing", "1");
        String id = preview("discard");
        assertThat(inbox.cli()
                        .run("operations", "start", id, "--reason", "x", "-y")
                        .exitCode())
                .isZero();

        assertThat(inbox.cli().run("operations", "cancel", id, "--reason", "x").err())
                .contains("Nothing to cancel.");
        assertThat(inbox.cli().run("operations", "run", id).exitCode()).isZero();
        assertThat(inbox.cli().run("operations", "resume", id, "--reason", "x").exitCode())
                .isZero();
        assertThat(status("1")).isEqualTo("DISCARDED");
    }
}
