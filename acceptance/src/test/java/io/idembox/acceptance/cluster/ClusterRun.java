// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.Receipt;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.acceptance.programme.Pool;
import io.idembox.acceptance.programme.Sight;
import io.idembox.acceptance.programme.Strikes;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Several consumer processes on one database, while messages are stored; some of the processes are killed and some stand
 * still for longer than their leases, again and again. In the end the database is compared with what was sent.
 */
final class ClusterRun {

    private static final Duration LIMIT = Duration.ofMinutes(15);
    private static final Duration REPORT_EVERY = Duration.ofSeconds(5);
    private static final long TICK_NANOS = 50_000_000;
    private static final int PARTITIONS = 2;

    private final Options options;
    private final Workload workload;
    private final long begin = System.nanoTime();
    private final AtomicInteger allowance = new AtomicInteger();
    private final List<Producer> producers = new ArrayList<>();
    private long lastReport = begin;

    private ClusterRun(Options options) {
        this.options = options;
        this.workload = new Workload(options.messages(), options.keys(), options.seed());
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
            well = new ClusterRun(options).run(server.freshDatabase());
        }
        System.exit(well ? 0 : 1);
    }

    private boolean run(PostgresDatabase database) throws SQLException {
        try (HikariDataSource pool = Pool.of(database.jdbcUrl(), 2 * PARTITIONS);
                Inbox inbox = Inbox.on(pool)
                        .createSchema()
                        .consumer(ClusterConsumer.CONSUMER, ClusterConsumer.POLICY)
                        .start();
                Scene scene = new Scene(database.dataSource().getConnection())) {
            scene.createEffects();
            System.out.println(scene.server() + "; " + options);
            try (Fleet fleet = ClusterConsumer.fleet(database.jdbcUrl(), options)) {
                Strikes strikes = new Strikes(fleet, new Sight(database.dataSource()), options.strikes());
                startProducers(inbox);
                boolean inTime = goOn(fleet, scene, strikes);
                return judge(fleet, scene, strikes, inTime);
            } finally {
                producers.forEach(Producer::stop);
            }
        }
    }

    private void startProducers(Inbox inbox) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            int mine = partition;
            List<Workload.Item> items = workload.items().stream()
                    .filter(item -> item.key() % PARTITIONS == mine)
                    .toList();
            Producer producer = new Producer(inbox, items, allowance, options.seed() + 10 + partition);
            producers.add(producer);
            Thread thread = new Thread(producer, "producer-" + partition);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Until everything is stored and done and nobody stands still; false when the time is over before that. */
    private boolean goOn(Fleet fleet, Scene scene, Strikes strikes) throws SQLException {
        while (System.nanoTime() - begin < LIMIT.toNanos()) {
            int effects = scene.effects();
            int allowed = Math.min(allowance.get(), options.messages());
            boolean idle = allowed > 0 && stored() >= allowed && !scene.isBusy();
            strikes.advance(effects, idle);
            fleet.replaceTheEnded();
            producers.forEach(Producer::check);
            report(effects, fleet, strikes);
            if (idle && stored() == options.messages() && !strikes.isSomebodyPaused()) {
                return true;
            }
            allowance.set(strikes.allowance());
            LockSupport.parkNanos(TICK_NANOS);
        }
        return false;
    }

    private void report(int effects, Fleet fleet, Strikes strikes) {
        long now = System.nanoTime();
        if (now - lastReport < REPORT_EVERY.toNanos()) {
            return;
        }
        lastReport = now;
        System.out.printf(
                Locale.ROOT,
                "%4d s: stored %d, effects %d, kills %d, pauses %d, fenced %d, %d processes work%n",
                seconds(),
                stored(),
                effects,
                strikes.kills(),
                strikes.pauses(),
                fleet.fenced(),
                fleet.ready().size());
    }

    private boolean judge(Fleet fleet, Scene scene, Strikes strikes, boolean inTime) throws SQLException {
        if (!inTime) {
            System.out.printf(
                    Locale.ROOT,
                    "TIME IS OVER after %d s: stored %d of %d, kills %d of %d, pauses %d of %d%n",
                    seconds(),
                    stored(),
                    options.messages(),
                    strikes.kills(),
                    options.kills(),
                    strikes.pauses(),
                    options.pauses());
        }
        // Before late copies come: they would bring back what is lost.
        Findings findings = Checker.check(scene, workload, options).findings();
        if (inTime && findings.areFine()) {
            findings = checkLateCopies(scene, findings.effects);
        }
        findings.print();
        if (fleet.endedByThemselves() > 0) {
            System.out.println(fleet.endedByThemselves() + " processes ended without being killed");
        }
        print(findings, fleet, strikes);
        if (options.unfenced()) {
            boolean caught = findings.doubled > 0;
            System.out.println(
                    caught
                            ? "broken fence: caught, " + findings.doubled + " messages were doubled"
                            : "broken fence: NOT CAUGHT");
            return caught;
        }
        boolean struck = strikes.kills() >= options.kills() && strikes.pauses() >= options.pauses();
        return inTime && struck && findings.areFine() && fleet.endedByThemselves() == 0;
    }

    /** Everything is delivered once more, to a cluster that still works; nothing may come of it. */
    private Findings checkLateCopies(Scene scene, int effects) throws SQLException {
        Map<String, Receipt.Kind> answers = new HashMap<>();
        producers.forEach(producer -> answers.putAll(producer.deliverAgain()));
        Checker again = Checker.check(scene, workload, options);
        again.checkAnswers(answers);
        if (scene.isBusy() || again.findings().effects != effects) {
            again.findings().misjudged("late copies were taken for new messages");
        }
        return again.findings();
    }

    private void print(Findings findings, Fleet fleet, Strikes strikes) {
        Map<Receipt.Kind, Integer> answers = new EnumMap<>(Receipt.Kind.class);
        producers.forEach(
                producer -> producer.answers().forEach((kind, count) -> answers.merge(kind, count, Integer::sum)));
        System.out.printf(
                Locale.ROOT,
                "deliveries were answered %s; attempts that failed %d, that lost their lease %d, that were given back %d%n",
                answers,
                findings.failures,
                findings.crashes,
                findings.releases);
        System.out.printf(
                Locale.ROOT,
                "cluster messages=%d effects=%d lost=%d doubled=%d out_of_order=%d parked=%d kills=%d pauses=%d fenced=%d"
                        + " parked_crash=%d waiting=%d unfinished=%d misjudged=%d seconds=%d%n",
                options.messages(),
                findings.effects,
                findings.lost,
                findings.doubled,
                findings.outOfOrder,
                findings.givenUp + findings.parkedCrash,
                strikes.kills(),
                strikes.pauses(),
                fleet.fenced(),
                findings.parkedCrash,
                findings.waiting,
                findings.unfinished,
                findings.misjudged,
                seconds());
    }

    private int stored() {
        return producers.stream().mapToInt(Producer::stored).sum();
    }

    private long seconds() {
        return (System.nanoTime() - begin) / 1_000_000_000;
    }
}
