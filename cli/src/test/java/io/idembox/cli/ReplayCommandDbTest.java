// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.event.InboxEvent;
import io.idembox.event.InboxListener;
import io.idembox.policy.yaml.PolicyFile;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** A table is rebuilt from the command line, if the policy of its consumer allows it. On PostgreSQL. */
class ReplayCommandDbTest {

    private final PostgresDatabase database = PostgresServer.shared().freshDatabase();
    private final Cli cli = Cli.on(database);

    @TempDir
    private Path directory = Path.of("");

    private Path policies = Path.of("");

    @BeforeEach
    void create() throws Exception {
        policies = Files.writeString(directory.resolve("policies.yaml"), """
                consumers:
                  balances: { mode: stored, ordering: hold, recording: full, replay: no-effects, retention: { ledger: 30d } }
                  mails: { mode: stored, recording: full }
                """);
        execute("create table balance (account text primary key, cents bigint not null)");
        Inbox.on(database.dataSource()).createSchema().start().close();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> balances() throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("select account || ' ' || cents from balance order by 1")) {
            while (found.next()) {
                rows.add(found.getString(1));
            }
        }
        return rows;
    }

    private Inbox application(InboxListener listener) {
        Inbox inbox = Inbox.on(database.dataSource())
                .policies(PolicyFile.read(policies, name -> Optional.empty()))
                .listener(listener)
                .start();
        for (String consumer : List.of("balances", "mails")) {
            Subscription subscription = inbox.subscribe(consumer)
                    .on(
                            "Booked",
                            String.class,
                            (text, ctx) -> ctx.later(
                                    "insert into balance values (?, 1) on conflict (account) do update set cents = balance.cents + 1",
                                    ctx.message().key().orElse("-")));
            subscription.start();
        }
        return inbox;
    }

    private static Message booked(int number) {
        return Message.of("b" + number, "Booked", "{}").from("/bank").keyed("account-" + number % 3);
    }

    /** Messages are stored and handled, and the application is closed again. */
    private void handleMessages(String consumer, int number) throws Exception {
        CountDownLatch done = new CountDownLatch(number);
        try (Inbox inbox = application(event -> countCompleted(event, done))) {
            inbox.store(
                    consumer,
                    IntStream.range(0, number)
                            .mapToObj(ReplayCommandDbTest::booked)
                            .toList());
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(balances()).isNotEmpty();
    }

    private static void countCompleted(InboxEvent event, CountDownLatch done) {
        if (event instanceof InboxEvent.Received received && received.receipt().kind() == Receipt.Kind.COMPLETED) {
            done.countDown();
        }
    }

    private Cli.Result run(String... args) {
        return cli.run(Stream.concat(Stream.of(args), Stream.of("--policies", policies.toString()))
                .toArray(String[]::new));
    }

    @Test
    void replayRebuildsTable() throws Exception {
        handleMessages("balances", 30);
        execute("update balance set cents = 77 where account = 'account-1'");

        Cli.Result plan = run("replay", "plan", "balances", "--canary", "6", "--rate", "1000/s", "-o", "json");

        assertThat(plan.exitCode()).as(plan.err()).isZero();
        assertThat(plan.json().fieldNames())
                .toIterable()
                .containsExactly(
                        "id",
                        "consumer",
                        "from",
                        "to",
                        "type",
                        "key",
                        "policy",
                        "wouldRun",
                        "unfinished",
                        "withoutPayload",
                        "skipped",
                        "forgottenBefore",
                        "effects",
                        "effectsLeftOut",
                        "forbidden",
                        "canary",
                        "perSecond",
                        "stopAbove");
        assertThat(plan.json().get("wouldRun").asInt()).isEqualTo(30);
        assertThat(plan.json().get("policy").asText()).isEqualTo("NO_EFFECTS");
        assertThat(plan.json().get("effectsLeftOut").asBoolean()).isTrue();
        String id = plan.json().get("id").asText();
        assertThat(plan.err()).contains("Start: idembox replay run " + id);
        assertThat(balances()).contains("account-1 77");

        String[] first = {
            "replay",
            "run",
            id,
            "--first",
            "truncate table balance; alter table balance add column note text",
            "--reason",
            "a column"
        };
        Cli.Result no = cli.typing("n").run(with(first, "--policies", policies.toString()));
        assertThat(no.exitCode()).isEqualTo(1);
        assertThat(no.err()).contains("Replay 30 messages of balances, and first run: truncate table balance; alter");
        try (Inbox application = application(event -> {})) {
            Cli.Result rebuilt = run(with(first, "-y", "-o", "json"));

            assertThat(rebuilt.exitCode()).as(rebuilt.err()).isZero();
            assertThat(rebuilt.json().get("state").asText()).isEqualTo("DONE");
            assertThat(rebuilt.json().get("done").asInt()).isEqualTo(30);
            assertThat(application.admin().campaigns().find(id)).isPresent();
        }
        assertThat(balances()).containsExactly("account-0 10", "account-1 10", "account-2 10");
        execute("select note from balance");
        assertThat(run("audit", "list", "-o", "json").out())
                .as("the audit trail has the SQL of --first")
                .contains("campaign " + id + ", first: truncate table balance; alter");
        Cli.Result again = run(with(first, "-y"));
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.err()).contains("has already started, so --first cannot run");
    }

    private static String[] with(String[] args, String... more) {
        return Stream.of(args, more).flatMap(Stream::of).toArray(String[]::new);
    }

    @Test
    void planIsPrintedAsTextAndNarrowed() throws Exception {
        handleMessages("balances", 6);

        Cli.Result words = run("replay", "plan", "balances", "--key", "account-1", "--from", "24h");

        assertThat(words.exitCode()).isZero();
        assertThat(words.out())
                .contains("replay of balances from ", " key account-1 would handle 2 messages again.")
                .contains("are purged (retention)")
                .contains("No messages or intents were sent for them the first time.")
                .contains("External effects are suppressed (replay: no-effects).")
                .contains("Nothing was changed. Plan id: ");
        assertThat(run("replay", "plan", "balances", "--to", "2020-01-01", "-o", "json")
                        .json()
                        .get("wouldRun")
                        .asInt())
                .isZero();
        assertThat(run("replay", "plan", "balances", "--type", "Other", "-o", "json")
                        .json()
                        .get("wouldRun")
                        .asInt())
                .isZero();
        assertThat(run("replay", "plan", "balances", "--from", "soon").exitCode())
                .isEqualTo(2);
        assertThat(run("replay", "plan", "balances", "--from", "2026-03-02", "--to", "2026-03-01")
                        .exitCode())
                .isEqualTo(2);
    }

    @Test
    void forbiddenReplayIsRefused() throws Exception {
        handleMessages("mails", 3);

        Cli.Result plan = run("replay", "plan", "mails", "-o", "json");

        assertThat(plan.exitCode()).isEqualTo(1);
        assertThat(plan.json().get("id").isNull()).as("no plan is stored").isTrue();
        assertThat(plan.json().get("wouldRun").asInt()).isEqualTo(3);
        assertThat(plan.json().get("forbidden").asText()).contains("replay: forbidden, the default");
        assertThat(run("replay", "plan", "mails").out()).contains("Not allowed. The policy of consumer mails");
        assertThat(cli.json("replay", "status")).isEmpty();
    }

    @Test
    void replayNeedsPolicy() throws Exception {
        handleMessages("balances", 3);
        String id =
                run("replay", "plan", "balances", "-o", "json").json().get("id").asText();

        for (Cli.Result result : List.of(
                cli.run("replay", "plan", "balances"),
                cli.run("replay", "run", id, "-y", "--reason", "x"),
                run("replay", "plan", "unheard-of"))) {
            assertThat(result.exitCode()).isEqualTo(2);
            assertThat(result.err()).contains("decides whether its messages may be replayed", "--policies FILE");
        }
    }

    @Test
    void preparationRunsInTheStartTransaction() throws Exception {
        handleMessages("balances", 3);
        List<String> before = balances();
        String id =
                run("replay", "plan", "balances", "-o", "json").json().get("id").asText();
        Path file = Files.writeString(directory.resolve("first.sql"), "truncate table balance;\nselect nonsense;\n");
        Path empty = Files.writeString(directory.resolve("empty.sql"), "\n");

        Cli.Result failed = run("replay", "run", id, "--first-file", file.toString(), "-y", "--reason", "x");

        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.err()).contains("Nothing was replayed or changed").contains("nonsense");
        assertThat(balances()).isEqualTo(before);
        assertThat(cli.json("replay", "status", id).get("state").asText()).isEqualTo("PLANNED");
        assertThat(run("replay", "run", id, "--first", "select 1", "--first-file", "x", "-y", "--reason", "x")
                        .exitCode())
                .isEqualTo(2);
        assertThat(run("replay", "run", id, "--first-file", empty.toString(), "-y", "--reason", "x")
                        .err())
                .contains("There is no statement");
        assertThat(run("replay", "run", id, "-y").err()).contains("--reason");
    }

    @Test
    void replaysAreListedAsCampaigns() throws Exception {
        handleMessages("balances", 3);
        String id =
                run("replay", "plan", "balances", "-o", "json").json().get("id").asText();

        JsonNode rows = cli.json("replay", "status");
        assertThat(rows.findValuesAsText("id")).containsExactly(id);
        assertThat(rows.at("/0/command").asText()).isEqualTo("REPLAY");
        assertThat(rows.at("/0/filter").asText()).isEqualTo("replay of balances");
        assertThat(cli.run("replay", "status", "-o", "ndjson").out().lines()).hasSize(1);
        assertThat((List<?>) new Load(LoadSettings.builder().build())
                        .loadFromString(
                                cli.run("replay", "status", "-o", "yaml").out()))
                .hasSize(1);
        assertThat(cli.json("operations", "list").findValuesAsText("id")).containsExactly(id);
        Cli.Result wrongDoor = cli.run("operations", "start", id, "-y", "--reason", "x");
        assertThat(wrongDoor.exitCode()).isEqualTo(1);
        assertThat(wrongDoor.err()).contains("idembox replay run " + id);
        assertThat(cli.run("replay", "status", "nonsense").exitCode()).isEqualTo(1);

        assertThat(cli.run("operations", "cancel", id, "--reason", "not needed").exitCode())
                .as("not started, so no confirmation is needed")
                .isZero();
        Cli.Result cancelled = run("replay", "run", id, "-y", "--reason", "x");
        assertThat(cancelled.exitCode()).isEqualTo(1);
        assertThat(cancelled.err()).contains("cannot be resumed");
    }
}
