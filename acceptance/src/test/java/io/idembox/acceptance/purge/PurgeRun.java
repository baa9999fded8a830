// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.purge;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Fingerprint;
import io.idembox.policy.Mode;
import io.idembox.policy.WorkPolicy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Two nodes purge without a pause while four writers go on with their business; then everything is counted. */
final class PurgeRun {

    static final Duration RETENTION = Duration.ofDays(30);
    static final String DIRECT = "billing";
    static final String STORED = "mail";
    static final String SOURCE = "/orders";

    private static final int WRITERS = 4;
    private static final int PURGERS = 2;
    private static final int PURGE_BATCH = 1_000;
    private static final int CHUNK = 500;
    private static final Duration LIMIT = Duration.ofMinutes(20);
    private static final ConsumerPolicy WORKED_ON = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .work(WorkPolicy.defaults().workers(2));

    /** What was counted, and what was wrong. */
    record Report(String line, List<String> violations) {}

    private final PurgeWorld world;
    private final int rows;
    private final int inside;
    private final List<String> violations = new CopyOnWriteArrayList<>();
    private final AtomicInteger handledByWorkers = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private final AtomicLong purged = new AtomicLong();
    private final AtomicBoolean purging = new AtomicBoolean(true);
    private final List<Writer> writers = new ArrayList<>();

    private PurgeRun(PurgeWorld world, int rows) {
        this.world = world;
        this.rows = rows;
        this.inside = Math.max(CHUNK, rows / 100);
    }

    static Report of(int rows) {
        try (PurgeWorld world = new PurgeWorld()) {
            return new PurgeRun(world, rows).run();
        }
    }

    static UUID fingerprint(String payload) {
        return Fingerprint.ofBytes().of(Payload.json(payload));
    }

    static Message message(String id) {
        return Message.of(id, "OrderPlaced", "{\"id\":\"" + id + "\"}").from(SOURCE);
    }

    /** One of those whose retention is not over. */
    static Message inside(int nr) {
        return message("inside-" + nr);
    }

    /** One of those that are being forgotten. */
    static Message old(int nr) {
        return Message.of("old-" + nr, "OrderPlaced", OldRows.PAYLOAD).from(SOURCE);
    }

    static void effect(HandlerContext context) throws SQLException {
        try (PreparedStatement insert =
                context.connection().prepareStatement("insert into effect (id) values (? || ' of ' || ?)")) {
            insert.setString(1, context.id().id());
            insert.setString(2, context.consumer());
            insert.executeUpdate();
        }
    }

    private Report run() {
        long begin = System.nanoTime();
        StringBuilder line = new StringBuilder("purge");
        try (Inbox inbox = Inbox.on(world.dataSource())
                .createSchema()
                .consumer(STORED, WORKED_ON)
                .listener(this::listen)
                .start()) {
            inbox.subscribe(STORED)
                    .on("OrderPlaced", Message.class, (message, context) -> effect(context))
                    .start();
            fillTheHorizon(inbox);
            OldRows oldRows = new OldRows(world, rows);
            long expired = oldRows.expired();
            long contradictions = oldRows.discardedConflicts();
            long unfinished = oldRows.unfinished();
            String before = oldRows.fingerprint();
            long loaded = System.nanoTime();

            purgeUnderLoad(inbox);

            long seconds = seconds(loaded);
            check(expired == rows, "loaded " + expired + " instead of " + rows);
            check(
                    purged.get() == expired + contradictions,
                    purged + " were told to be forgotten, there were " + expired + " and " + contradictions
                            + " discarded conflicts");
            long left = oldRows.expired();
            check(oldRows.expiredInAllTables() == 0, "rows of forgotten messages: " + oldRows.expiredInAllTables());
            String after = oldRows.fingerprint();
            check(after.equals(before), "unfinished ones were touched: " + before + " is now " + after);
            long known = redeliverTheHorizon(inbox);
            checkEffects();
            line.append(" expired=" + expired + " left=" + left + " unfinished=" + oldRows.unfinished() + "/"
                            + unfinished)
                    .append(" inside=" + known + "/" + 2 * inside + " purge-seconds=" + seconds);
        }
        long deadlocks = world.deadlocksInTheEnd();
        check(deadlocks == 0 && repeated.get() == 0, deadlocks + " deadlocks, " + repeated + " batches repeated");
        line.append(" deadlocks=" + deadlocks + " writers=" + WRITERS + " direct=" + sum(Writer::direct))
                .append(" stored=" + sum(Writer::stored) + " duplicates=" + sum(Writer::duplicates))
                .append(" violations=" + violations.size() + " seconds=" + seconds(begin));
        return new Report(line.toString(), List.copyOf(violations));
    }

    private void listen(InboxEvent event) {
        if (event instanceof InboxEvent.BatchRetried) {
            repeated.incrementAndGet();
        } else if (event instanceof InboxEvent.Received received
                && received.consumer().equals(STORED)
                && received.receipt().kind() == Receipt.Kind.COMPLETED
                && !Objects.requireNonNull(received.id()).id().startsWith("old-")) {
            synchronized (handledByWorkers) {
                handledByWorkers.incrementAndGet();
                handledByWorkers.notifyAll();
            }
        }
    }

    private void check(boolean holds, String violation) {
        if (!holds) {
            violations.add(violation);
        }
    }

    private static long seconds(long since) {
        return (System.nanoTime() - since) / 1_000_000_000;
    }

    private int sum(ToIntFunction<Writer> figure) {
        return writers.stream().mapToInt(figure).sum();
    }

    /**
     * Messages that really ran, some time ago. Of the stored ones, every third came in before the horizon and was settled
     * inside it, and the horizon is counted from there.
     */
    private void fillTheHorizon(Inbox inbox) {
        for (List<Message> chunk : horizon()) {
            inbox.handleAll(DIRECT, chunk, PurgeRun::effect);
            inbox.store(STORED, chunk);
        }
        awaitWorkers(inside);
        world.run(
                "update idembox_ledger set received_at = now() - interval '29 days' + arrival % 1000 * interval '40 minutes'");
        world.run(
                "update idembox_ledger set received_at = now() - interval '90 days' where kind = 'S' and arrival / 2 % 3 = 0");
        world.run("update idembox_outcome set settled_at = now() - interval '29 days'");
    }

    private List<List<Message>> horizon() {
        List<Message> all =
                IntStream.range(0, inside).mapToObj(PurgeRun::inside).toList();
        return Stream.iterate(0, from -> from < all.size(), from -> from + CHUNK)
                .map(from -> all.subList(from, Math.min(from + CHUNK, all.size())))
                .toList();
    }

    /** Every one of them is still known. */
    private long redeliverTheHorizon(Inbox inbox) {
        long known = 0;
        for (List<Message> chunk : horizon()) {
            known += Stream.concat(
                            inbox.handleAll(DIRECT, chunk, PurgeRun::effect).stream(),
                            inbox.store(STORED, chunk).stream())
                    .filter(receipt -> receipt.kind() == Receipt.Kind.DUPLICATE)
                    .count();
        }
        check(known == 2L * inside, known + " of " + 2 * inside + " inside the horizon are known");
        return known;
    }

    private void awaitWorkers(int count) {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        synchronized (handledByWorkers) {
            while (handledByWorkers.get() < count && System.nanoTime() < end) {
                try {
                    handledByWorkers.wait(100);
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
        check(handledByWorkers.get() >= count, handledByWorkers + " of " + count + " stored ones were handled");
    }

    private void purgeUnderLoad(Inbox inbox) {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS + PURGERS);
        CountDownLatch everybodyWrites = new CountDownLatch(WRITERS);
        List<Future<?>> purgers = new ArrayList<>();
        List<Future<?>> writing = new ArrayList<>();
        long end = System.nanoTime() + LIMIT.toNanos();
        try {
            for (int nr = 0; nr < WRITERS; nr++) {
                Writer writer = new Writer(inbox, nr, inside, rows / 2, violations::add);
                writers.add(writer);
                writing.add(threads.submit(() -> {
                    try {
                        do {
                            writer.round();
                            everybodyWrites.countDown();
                        } while (purging.get());
                    } finally {
                        everybodyWrites.countDown();
                    }
                }));
            }
            for (int nr = 0; nr < PURGERS; nr++) {
                String node = "purger-" + nr;
                purgers.add(threads.submit(() -> {
                    everybodyWrites.await();
                    purge(node, end);
                    return null;
                }));
            }
            purgers.forEach(each -> await(each, end));
            purging.set(false);
            writing.forEach(each -> await(each, end));
        } finally {
            purging.set(false);
            threads.shutdownNow();
        }
    }

    private void await(Future<?> running, long end) {
        try {
            running.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            violations.add("an error surfaced: " + failed.getCause());
        } catch (TimeoutException late) {
            violations.add("not done after " + LIMIT);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** As a node does it, but without pauses; until there is nothing left. */
    private void purge(String node, long end) {
        JdbcInboxStore store = new JdbcInboxStore(
                world.dataSource(),
                Database.POSTGRESQL,
                new TableNames("public", "idembox_"),
                new StoreSettings(Duration.ofSeconds(1), node, null));
        RetentionStore retention = store.retention();
        List<RegisteredConsumer> consumers = Stream.of(DIRECT, STORED)
                .map(name -> store.consumer(name, ConsumerPolicy.defaults()))
                .toList();
        boolean more = true;
        while (more && System.nanoTime() < end) {
            more = false;
            for (RegisteredConsumer consumer : consumers) {
                RetentionStore.Purged forgotten = retention.purge(consumer, RETENTION, PURGE_BATCH);
                purged.addAndGet(forgotten.count());
                more |= forgotten.more() || forgotten.count() > 0;
            }
        }
    }

    /** Once each: what was inside the horizon, what was new, and what had been forgotten and came again. */
    private void checkEffects() {
        awaitWorkers(inside + sum(Writer::stored));
        long all = world.number("select count(*) from effect");
        long different = world.number("select count(distinct id) from effect");
        check(all == different, (all - different) + " effects are there twice");
        long ordinary = world.number("select count(*) from effect where id not like 'old-%'");
        long expected = 2L * inside + sum(Writer::direct) + sum(Writer::stored);
        check(ordinary == expected, ordinary + " effects instead of " + expected);
        long again = world.number("select count(*) from effect where id like 'old-% of " + DIRECT + "'");
        check(again == sum(Writer::again), again + " forgotten ones ran again, " + sum(Writer::again) + " said so");
        check(sum(Writer::duplicates) > 0 && sum(Writer::direct) > 0, "the writers wrote nothing");
    }
}
