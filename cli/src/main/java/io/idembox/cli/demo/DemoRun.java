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
 * Runs the demo: starts servers and consumers, sends the stream and injects faults; then waits without faults until all
 * orders are handled; then stops the consumers and counts the effects. Everything is bounded in time. Not thread-safe.
 */
final class DemoRun {

    private static final long SAMPLE_INTERVAL_NANOS = 1_000_000_000;
    private static final long TICK_NANOS = 50_000_000;
    private static final int EXPLAINED = 5;
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

    private final Plan plan;
    private final Screen screen;
    private final OrderStream stream;
    private final Path logs;

    /** Called after the result was printed, while the servers are still running. */
    interface Visitor {
        void visit(Result result, DemoAddresses addresses, int postgresPort);
    }

    /** @param logs directory for the logs of the consumer processes */
    DemoRun(Plan plan, Screen screen, Path logs) {
        this.plan = plan;
        this.screen = screen;
        this.logs = logs;
        this.stream = new OrderStream(plan.messages(), plan.duplicates(), plan.seed());
    }

    Result run(Visitor visitor) throws IOException, SQLException, InterruptedException {
        screen.print("Starting PostgreSQL (fsync on) and Kafka (one KRaft node), each in a separate process ...");
        try (Servers servers = closeOnShutdown(Servers.start());
                Admin kafka = Admin.create(Map.of("bootstrap.servers", servers.bootstrap()))) {
            screen.print("PostgreSQL " + servers.postgres().version() + " on port "
                    + servers.postgres().port() + ", Kafka on " + servers.bootstrap());
            screen.print("");
            DemoAddresses addresses = servers.prepare(kafka);
            DemoTexts.before(plan, stream).forEach(screen::print);
            Result result = run(addresses, kafka);
            visitor.visit(result, addresses, servers.postgres().port());
            return result;
        }
    }

    /** Closes the resource on Ctrl-C too. */
    private static <T extends AutoCloseable> T closeOnShutdown(T started) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                started.close();
            } catch (Exception failed) {
                System.err.println("The demo could not release its resources: " + failed);
            }
        }));
        return started;
    }

    private Result run(DemoAddresses addresses, Admin kafka) throws SQLException, InterruptedException {
        try (Services services = Services.open(addresses);
                ConsumerFleet consumerFleet = closeOnShutdown(new ConsumerFleet(addresses, logs));
                FaultInjector faultInjector = new FaultInjector(plan, consumerFleet);
                MessageProducer messageProducer = new MessageProducer(plan, stream, addresses, faultInjector::kills)) {
            EffectCheck ledger = new EffectCheck(services.orders(), services.receipts());
            ledger.createTables();
            SampleReader sampleReader = new SampleReader(
                    ledger, services, kafka, new SampleReader.Sources(messageProducer, consumerFleet, faultInjector));
            consumerFleet.start();
            awaitReady(consumerFleet);
            sampleReader.begin();
            messageProducer.start();
            faultInjector.start();
            Sample last = watch(sampleReader, messageProducer, consumerFleet, faultInjector);
            consumerFleet.stop(STOP_TIMEOUT);
            Result result = result(ledger, messageProducer, consumerFleet, last);
            explainLost(result, ledger, services);
            return result;
        }
    }

    /** Waits until all processes are ready, so that the stream does not run ahead of them. */
    private static void awaitReady(ConsumerFleet consumerFleet) {
        long end = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!consumerFleet.isReady() && System.nanoTime() - end < 0) {
            consumerFleet.restartEnded();
            LockSupport.parkNanos(TICK_NANOS);
        }
    }

    /** Waits until all orders are handled, or the time is up. */
    private Sample watch(
            SampleReader sampleReader,
            MessageProducer messageProducer,
            ConsumerFleet consumerFleet,
            FaultInjector faultInjector)
            throws SQLException, InterruptedException {
        long end = System.nanoTime() + plan.limit().toNanos();
        boolean quiet = false;
        while (true) {
            consumerFleet.restartEnded();
            if (!quiet && messageProducer.isDone()) {
                quiet = true;
                faultInjector.close();
                screen.print("All orders are sent. No more faults; the consumers handle the remaining orders ...");
            }
            Sample sample = sampleReader.read();
            screen.show(sample);
            if (quiet && sample.isComplete()) {
                return sample;
            }
            if (System.nanoTime() - end >= 0) {
                screen.print("Time is up (--seconds); orders that are not handled yet count as lost.");
                faultInjector.close();
                return sample;
            }
            LockSupport.parkNanos(SAMPLE_INTERVAL_NANOS);
        }
    }

    private Result result(EffectCheck ledger, MessageProducer messageProducer, ConsumerFleet consumerFleet, Sample last)
            throws SQLException {
        ledger.writeSent(stream.orders(), messageProducer::copies);
        List<ConsumerBalance> consumerBalances = new ArrayList<>();
        for (Role role : Role.values()) {
            consumerBalances.add(ledger.check(role));
        }
        int poison = (int) stream.orders().stream()
                .filter(order -> order.plannedOutcome() == PlannedOutcome.POISON && messageProducer.copies(order) > 0)
                .count();
        return new Result(consumerBalances, last, ledger.parked(), poison, consumerFleet.unexpectedExits());
    }

    /** Prints the inbox's explanation of lost orders, should there be any. */
    private void explainLost(Result result, EffectCheck ledger, Services services) throws SQLException {
        for (Role role : Role.IDEMBOX) {
            if (result.of(role).lost() > 0) {
                for (String order : ledger.lost(role, EXPLAINED)) {
                    screen.print(role.consumer() + " has no effect of " + order + ":");
                    explain(role, order, ledger, services).forEach(known -> screen.print(known.toString()));
                }
            }
        }
    }

    /** Explains a receipt on both sides: at the sender and at the receiver. */
    private static List<Explanation> explain(Role role, String order, EffectCheck ledger, Services services)
            throws SQLException {
        MessageId receipt = role == Role.RECEIPTS ? ledger.receiptOf(order).orElse(null) : null;
        if (receipt == null) {
            Role reader = role == Role.RECEIPTS ? Role.BILLING : role;
            return List.of(
                    services.admin(reader).explain(reader.consumer(), new MessageId(MessageProducer.SOURCE, order)));
        }
        return List.of(
                services.admin(Role.BILLING).explain(Outbox.consumer(IdemboxConsumer.RECEIPTS), receipt),
                services.admin(role).explain(role.consumer(), receipt));
    }
}
