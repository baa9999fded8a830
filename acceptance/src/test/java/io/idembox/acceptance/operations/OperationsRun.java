// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.operations;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.acceptance.programme.Pool;
import io.idembox.acceptance.programme.Wrongs;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Command;
import io.idembox.admin.FailureGroup;
import io.idembox.admin.Filter;
import io.idembox.admin.Operation;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Status;
import io.idembox.audit.AuditEntry;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Two service processes on one database, and operators: a group of failures is redriven with a canary that fails; two operators redrive
 * the same messages while all of them are delivered again and processes are killed; a table is built anew while messages arrive
 * and processes are killed. In the end the database is compared with what was sent.
 */
final class OperationsRun {

    private static final Duration LIMIT = Duration.ofMinutes(20);
    private static final long TICK_NANOS = 100_000_000;
    private static final int CANARY = 10;
    private static final Filter FAILED = Filter.of(Service.NOTICES).status(Status.FAILED_TERMINAL);

    private final Options options;
    private final Inbox inbox;
    private final Scene scene;
    private final Fleet fleet;
    private final Wrongs wrongs = new Wrongs();
    private final long begin = System.nanoTime();
    private int kills;

    private OperationsRun(Options options, Inbox inbox, Scene scene, Fleet fleet) {
        this.options = options;
        this.inbox = inbox;
        this.scene = scene;
        this.fleet = fleet;
    }

    public static void main(String[] args) throws SQLException {
        Options options;
        try {
            options = Options.parse(List.of(args));
        } catch (IllegalArgumentException wrong) {
            System.out.println(wrong.getMessage());
            System.out.println(Options.USAGE);
            System.exit(2);
            return;
        }
        boolean well;
        try (PostgresServer server = PostgresServer.start()) {
            well = run(options, server.freshDatabase());
        }
        System.exit(well ? 0 : 1);
    }

    private static boolean run(Options options, PostgresDatabase database) throws SQLException {
        try (HikariDataSource pool = Pool.of(database.jdbcUrl(), 6);
                Inbox inbox = Service.inbox(pool).createSchema().start()) {
            Scene scene = new Scene(database.dataSource());
            scene.create();
            System.out.println(scene.server() + "; " + options);
            try (Fleet fleet = Service.fleet(database.jdbcUrl())) {
                return new OperationsRun(options, inbox, scene, fleet).run();
            }
        }
    }

    private boolean run() throws SQLException {
        int canary = canary();
        int doubled = twoOperators();
        refusal();
        int different = replay();
        wrongs.print();
        System.out.printf(
                Locale.ROOT,
                "operations redriven=%d canary_given=%d doubled=%d replayed=%d live=%d different=%d kills=%d seconds=%d%n",
                options.redriven(),
                canary,
                doubled,
                options.replayed(),
                options.live(),
                different,
                kills,
                seconds());
        return wrongs.areNone();
    }

    private int canary() throws SQLException {
        store(notices());
        until("everything failed", () -> inbox.admin().count(FAILED, 100_000).number() == options.redriven());
        List<FailureGroup> groups = inbox.admin().failureGroups(FAILED, 10);
        expect(groups.size() == 1, "groups", groups.size() + " instead of one");
        Filter group = FAILED.group(groups.get(0).id());
        Campaigns campaigns = inbox.admin().campaigns();
        Campaign plan = campaigns.plan(
                Command.REDRIVE, group, CampaignOptions.defaults().canary(CANARY), operation("canary", "anna"));
        expect(plan.progress().total() == options.redriven(), "plan", plan.progress() + " are planned");
        campaigns.start("canary", operation("start canary", "anna"));
        until(
                "the canary is judged",
                () -> campaigns.find("canary").orElseThrow().isOver());
        Campaign stopped = campaigns.find("canary").orElseThrow();
        expect(stopped.state() == Campaign.State.STOPPED, "canary", "the campaign is " + stopped.state());
        expect(
                stopped.progress().given() == CANARY,
                "canary",
                stopped.progress().given() + " were redriven");
        int tried = scene.count("idembox_attempt where number > 1");
        expect(tried == CANARY, "canary", tried + " were tried again");
        say("the canary failed and nothing else was tried: " + stopped.note());
        return stopped.progress().given();
    }

    private List<Message> notices() {
        return IntStream.range(0, options.redriven())
                .mapToObj(n -> Message.of("n-" + n, "Notice", "{}").from("/bank"))
                .toList();
    }

    private void store(List<Message> messages) {
        for (int from = 0; from < messages.size(); from += 500) {
            inbox.store(Service.NOTICES, messages.subList(from, Math.min(messages.size(), from + 500)));
        }
    }

    /** How many effects there are too many. */
    private int twoOperators() throws SQLException {
        scene.openTheBank();
        Campaigns campaigns = inbox.admin().campaigns();
        for (String who : List.of("anna", "bert")) {
            campaigns.plan(Command.REDRIVE, FAILED, CampaignOptions.defaults(), operation("all of " + who, who));
        }
        for (String who : List.of("anna", "bert")) {
            campaigns.start("all of " + who, operation("start of " + who, who));
        }
        Thread broker = new Thread(() -> store(notices()), "broker");
        broker.start();
        killWhile(() -> scene.count("notice"), options.redriven());
        until(
                "both campaigns are over",
                () -> List.of("anna", "bert").stream()
                        .allMatch(who ->
                                campaigns.find("all of " + who).orElseThrow().isOver()));
        until("everything is through", () -> scene.unfinished(Service.NOTICES) == 0 && !broker.isAlive());
        int effects = scene.count("notice");
        int different = scene.count("(select distinct id from notice) d");
        expect(different == options.redriven(), "lost", (options.redriven() - different) + " notices");
        expect(effects == different, "doubled", (effects - different) + " notices");
        expect(scene.count("idembox_entry") == 0, "unfinished", scene.count("idembox_entry") + " entries");
        checkTrail();
        say("two operators and a redelivery of everything: " + effects + " effects of " + different + " messages");
        return effects - different;
    }

    private void checkTrail() {
        Set<String> who = new TreeSet<>();
        long after = 0;
        List<AuditEntry> page = inbox.audit().after(after, 1_000);
        while (!page.isEmpty()) {
            page.stream()
                    .filter(each -> each.command() == Command.REDRIVE)
                    .forEach(each -> who.add(each.operation().by()));
            after = page.get(page.size() - 1).number();
            page = inbox.audit().after(after, 1_000);
        }
        expect(who.equals(Set.of("anna", "bert")), "trail", "it names " + who);
        expect(inbox.audit().verify(List.of(), List.of()).isIntact(), "trail", "it is not sound");
    }

    private void refusal() {
        ReplayPlan plan = inbox.admin()
                .replays()
                .plan(ReplayRange.of(Service.NOTICES), CampaignOptions.defaults(), operation("forbidden", "anna"));
        expect(plan.refusal() != null, "refusal", "a consumer with effects could be replayed");
        say("a replay of " + Service.NOTICES + " is refused: " + plan.refusal());
    }

    /** How many rows are not what they should be. */
    private int replay() throws SQLException {
        Bookings bookings = new Bookings();
        bookings.store(inbox, options.replayed());
        until("everything is booked", () -> scene.unfinished(Service.BALANCES) == 0);
        compare(bookings, "before the replay");
        int receipts = scene.count("idembox_body where event_type = 'Receipt'");
        expect(receipts == bookings.receipts(), "receipts", receipts + " instead of " + bookings.receipts());
        var replays = inbox.admin().replays();
        ReplayPlan plan = replays.plan(
                ReplayRange.of(Service.BALANCES), CampaignOptions.defaults(), operation("rebuild", "anna"));
        expect(plan.wouldRun() == options.replayed(), "plan", "it would run " + plan.wouldRun());
        Thread producer = new Thread(() -> bookings.store(inbox, options.live()), "producer");
        long start = System.nanoTime();
        replays.start("rebuild", operation("start rebuild", "anna"), OperationsRun::empty);
        say("the replay began within " + (System.nanoTime() - start) / 1_000_000 + " ms");
        producer.start();
        killWhile(
                () -> inbox.admin()
                        .campaigns()
                        .find("rebuild")
                        .orElseThrow()
                        .progress()
                        .given(),
                options.replayed());
        until(
                "the replay is over",
                () -> inbox.admin().campaigns().find("rebuild").orElseThrow().isOver()
                        && !producer.isAlive()
                        && scene.unfinished(Service.BALANCES) == 0);
        Campaign done = inbox.admin().campaigns().find("rebuild").orElseThrow();
        expect(done.state() == Campaign.State.DONE, "replay", "it is " + done.state() + ": " + done.note());
        expect(
                done.progress().done() == options.replayed(),
                "replay",
                done.progress().done() + " were replayed");
        receipts = scene.count("idembox_body where event_type = 'Receipt'");
        expect(receipts == bookings.receipts(), "receipts", receipts + " instead of " + bookings.receipts());
        return compare(bookings, "after the replay");
    }

    private static void empty(Connection connection) throws SQLException {
        try (PreparedStatement truncate = connection.prepareStatement("truncate table balance")) {
            truncate.execute();
        }
    }

    private int compare(Bookings bookings, String when) throws SQLException {
        Map<String, String> expected = bookings.expected();
        Map<String, String> found = scene.balances();
        Set<String> keys = new TreeSet<>(expected.keySet());
        keys.addAll(found.keySet());
        List<String> different = new ArrayList<>();
        for (String key : keys) {
            if (!String.valueOf(expected.get(key)).equals(found.get(key))) {
                different.add(key);
                wrongs.add("different", when + " " + key + " is " + found.get(key) + " and not " + expected.get(key));
            }
        }
        say(when + " " + (keys.size() - different.size()) + " of " + keys.size() + " balances are as they should be");
        return different.size();
    }

    private interface Counting {
        int now() throws SQLException;
    }

    private interface Condition {
        boolean holds() throws SQLException;
    }

    /** Kills processes, spread over the way to that number. */
    private void killWhile(Counting counting, int total) throws SQLException {
        for (int kill = 1; kill <= options.kills(); kill++) {
            int row = (int) ((long) total * kill / (options.kills() + 2));
            until(
                    "so many are done: " + row,
                    () -> counting.now() >= row && !fleet.ready().isEmpty());
            fleet.kill(fleet.ready().get(kill % fleet.ready().size()));
            kills++;
        }
    }

    private void until(String what, Condition condition) throws SQLException {
        while (!condition.holds()) {
            fleet.replaceTheEnded();
            if (System.nanoTime() - begin > LIMIT.toNanos()) {
                throw new AssertionError("The time is over before this: " + what);
            }
            LockSupport.parkNanos(TICK_NANOS);
        }
    }

    private void expect(boolean holds, String kind, String otherwise) {
        if (!holds) {
            wrongs.add(kind, otherwise);
        }
    }

    private static Operation operation(String id, String who) {
        return new Operation(id, who, "because");
    }

    private void say(String words) {
        System.out.printf(Locale.ROOT, "%4d s: %s%n", seconds(), words);
    }

    private long seconds() {
        return (System.nanoTime() - begin) / 1_000_000_000;
    }
}
