// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import io.idembox.MessageId;
import io.idembox.Outbox;
import io.idembox.admin.Explanation;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;

/**
 * The course of a demo: servers, consumers, the stream and the strikes; then quiet, until everything is worked off; then the
 * consumers end, and only then the effects are counted. Everything is bounded in time. Not thread-safe.
 */
final class DemoRun {

    private static final long LOOK_EVERY_NANOS = 1_000_000_000;
    private static final long TICK_NANOS = 50_000_000;
    private static final int EXPLAINED = 5;
    private static final Duration START_PATIENCE = Duration.ofSeconds(60);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);

    private final Plan plan;
    private final Screen screen;
    private final OrderStream stream;
    private final Path logs;

    /** What happens while the servers are still running, after the result was told. */
    interface Visitor {
        void visit(Result result, Site site, int postgresPort);
    }

    /** @param logs where the consumer processes write what they have to say */
    DemoRun(Plan plan, Screen screen, Path logs) {
        this.plan = plan;
        this.screen = screen;
        this.logs = logs;
        this.stream = new OrderStream(plan.messages(), plan.duplicates(), plan.seed());
    }

    Result run(Visitor visitor) throws IOException, SQLException, InterruptedException {
        screen.say("Starting PostgreSQL (fsync on) and Kafka (one KRaft node), each in a process of its own ...");
        try (Servers servers = ending(Servers.start());
                Admin kafka = Admin.create(Map.of("bootstrap.servers", servers.bootstrap()))) {
            screen.say("PostgreSQL " + servers.postgres().version() + " on port "
                    + servers.postgres().port() + ", Kafka on " + servers.bootstrap());
            screen.say("");
            Site site = servers.prepare(kafka);
            Words.before(plan, stream).forEach(screen::say);
            Result result = run(site, kafka);
            visitor.visit(result, site, servers.postgres().port());
            return result;
        }
    }

    /** Ctrl-C ends everything too. */
    private static <T extends AutoCloseable> T ending(T started) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                started.close();
            } catch (Exception failed) {
                System.err.println("The demo did not end well: " + failed);
            }
        }));
        return started;
    }

    private Result run(Site site, Admin kafka) throws SQLException, InterruptedException {
        try (Services services = Services.open(site);
                Fleet fleet = ending(new Fleet(site, logs));
                Killer killer = new Killer(plan, fleet);
                Feeder feeder = new Feeder(plan, stream, site, killer::kills)) {
            LedgerCheck ledger = new LedgerCheck(services.orders(), services.receipts());
            ledger.createTables();
            Gauges gauges = new Gauges(ledger, services, kafka, new Gauges.Actors(feeder, fleet, killer));
            fleet.start();
            awaitReady(fleet);
            gauges.begin();
            feeder.start();
            killer.start();
            Sample last = watch(gauges, feeder, fleet, killer);
            fleet.stop(STOP_PATIENCE);
            Result result = result(ledger, feeder, fleet, last);
            explainTheLost(result, ledger, services);
            return result;
        }
    }

    /** So that the stream does not run ahead of processes that are still starting. */
    private static void awaitReady(Fleet fleet) {
        long end = System.nanoTime() + START_PATIENCE.toNanos();
        while (!fleet.isReady() && System.nanoTime() - end < 0) {
            fleet.replaceTheEnded();
            LockSupport.parkNanos(TICK_NANOS);
        }
    }

    /** Until everything is worked off, or the time is over. */
    private Sample watch(Gauges gauges, Feeder feeder, Fleet fleet, Killer killer)
            throws SQLException, InterruptedException {
        long end = System.nanoTime() + plan.limit().toNanos();
        boolean quiet = false;
        while (true) {
            fleet.replaceTheEnded();
            if (!quiet && feeder.isDone()) {
                quiet = true;
                killer.close();
                screen.say("Everything is sent. No more strikes; the rest is worked off ...");
            }
            Sample sample = gauges.look();
            screen.show(sample);
            if (quiet && sample.isWorkedOff()) {
                return sample;
            }
            if (System.nanoTime() - end >= 0) {
                screen.say("The time is over (--seconds); what is missing counts as lost.");
                killer.close();
                return sample;
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }

    private Result result(LedgerCheck ledger, Feeder feeder, Fleet fleet, Sample last) throws SQLException {
        ledger.writeSent(stream.orders(), feeder::copies);
        List<Ledger> ledgers = new ArrayList<>();
        for (Role role : Role.values()) {
            ledgers.add(ledger.check(role));
        }
        int poison = (int) stream.orders().stream()
                .filter(order -> order.fate() == Fate.POISON && feeder.copies(order) > 0)
                .count();
        return new Result(ledgers, last, ledger.parked(), poison, fleet.endedByThemselves());
    }

    /** Should one ever be missing: what the inbox knows about it. */
    private void explainTheLost(Result result, LedgerCheck ledger, Services services) throws SQLException {
        for (Role role : Role.IDEMBOX) {
            if (result.of(role).lost() > 0) {
                for (String order : ledger.lost(role, EXPLAINED)) {
                    screen.say(role.consumer() + " has no effect of " + order + ":");
                    explain(role, order, ledger, services).forEach(known -> screen.say(known.toString()));
                }
            }
        }
    }

    /** A receipt is looked for on both sides: where it was sent, and where it should have come to. */
    private static List<Explanation> explain(Role role, String order, LedgerCheck ledger, Services services)
            throws SQLException {
        MessageId receipt = role == Role.RECEIPTS ? ledger.receiptOf(order).orElse(null) : null;
        if (receipt == null) {
            Role reader = role == Role.RECEIPTS ? Role.BILLING : role;
            return List.of(services.admin(reader).explain(reader.consumer(), new MessageId(Feeder.SOURCE, order)));
        }
        return List.of(
                services.admin(Role.BILLING).explain(Outbox.consumer(IdemboxConsumer.RECEIPTS), receipt),
                services.admin(role).explain(role.consumer(), receipt));
    }
}
