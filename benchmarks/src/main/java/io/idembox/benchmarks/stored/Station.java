// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.stored;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Tally;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.HandlerLeaseProcessor;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.jdbc.DetectedDatabase;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.worker.Maintenance;
import io.idembox.internal.worker.WorkerPool;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.WorkPolicy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * One consumer in stored mode without threads of its own: whoever calls does the work, so that it can be measured apart.
 * Thread-safe.
 */
public final class Station {

    /** How many messages are stored at once. */
    public static final int INTAKE = 100;

    private static final Duration LEASE = Duration.ofMinutes(1);

    /** As far behind the last find as the library's own workers look. */
    private static final long MARGIN = 100L * 2_048;

    private final Receiver receiver;
    private final LeaseStore leases;
    private final JdbcInboxStore store;
    private final HandlerLeaseProcessor run;
    private final int batchSize;
    private volatile long floor;

    public Station(Arena arena, String consumer, int batchSize, Function<Message, HandlerTask> tasks) {
        this(arena, consumer, batchSize, tasks, Ordering.NONE);
    }

    Station(Arena arena, String consumer, int batchSize, Function<Message, HandlerTask> tasks, Ordering ordering) {
        JdbcInboxStore store = DetectedDatabase.to(arena.dataSource(), null, "idembox_")
                .open(true, false, new StoreSettings(Duration.ofSeconds(1), "benchmark", null));
        this.receiver = new Receiver(
                store,
                store.consumer(
                        consumer,
                        ConsumerPolicy.defaults()
                                .mode(Mode.STORED)
                                .ordering(ordering)
                                .work(WorkPolicy.defaults().workers(1).batch(batchSize))),
                store.errorText(),
                InstantSource.system(),
                new EventPublisher(List.of()));
        this.leases = store.leases();
        this.store = store;
        this.run = receiver.leaseRun(leases, tasks);
        this.batchSize = batchSize;
    }

    /** The name of a strategy, with the order that its consumer keeps. */
    public static String named(String strategy, Ordering ordering) {
        return ordering == Ordering.NONE
                ? strategy
                : strategy + ", " + ordering.name().toLowerCase(Locale.ROOT);
    }

    /** What grows with every message, besides the accounts. */
    public static List<String> tables() {
        return List.of("idembox_ledger", "idembox_body", "idembox_entry", "idembox_lease", "idembox_outcome");
    }

    public RegisteredConsumer consumer() {
        return receiver.consumer();
    }

    public LeaseStore leases() {
        return leases;
    }

    /** The library's own claimer and worker, who are started by the caller. */
    public WorkerPool crew(LeaseStore claimedFrom, Maintenance maintenance) {
        return new WorkerPool(run, claimedFrom, maintenance);
    }

    public Maintenance housekeeping() {
        return new Maintenance(leases, store.retention(), store.pauses());
    }

    /** Stores messages. A redelivery is answered STORED as long as its message is not done, and DUPLICATE afterwards. */
    public Tally store(List<Message> messages) {
        long refused = receiver.store(messages).stream()
                .filter(receipt -> receipt.kind() != Receipt.Kind.STORED && receipt.kind() != Receipt.Kind.DUPLICATE)
                .count();
        return new Tally(messages.size() - refused, 0, refused);
    }

    /** Claims one batch, handles and settles it; nothing when there is nothing to claim. */
    public Tally work() {
        while (true) {
            List<Lease> claimed = claim();
            if (claimed.isEmpty()) {
                return Tally.NOTHING;
            }
            Tally tally = Tally.NOTHING;
            for (Lease lease : claimed) {
                tally = tally.plus(work(lease));
            }
            // A batch that was given back as a whole is claimed again.
            if (tally.messages() > 0) {
                return tally;
            }
        }
    }

    /** What is busy was given back, and comes again. */
    private Tally work(Lease lease) {
        List<Receipt> settled = run.work(lease, () -> {}).stream()
                .filter(receipt -> receipt.kind() != Receipt.Kind.BUSY)
                .toList();
        return Tally.of(settled);
    }

    private List<Lease> claim() {
        List<Lease> claimed = claimFrom(floor);
        return claimed.isEmpty() && floor > 0 ? claimFrom(0) : claimed;
    }

    private List<Lease> claimFrom(long from) {
        List<Lease> claimed = leases.claim(receiver.consumer(), new LeaseStore.Demand(1, batchSize, LEASE, from));
        List<Long> arrivals =
                claimed.stream().flatMap(lease -> lease.arrivals().stream()).toList();
        floor = arrivals.size() < batchSize ? 0 : Math.max(0, Collections.min(arrivals) - MARGIN);
        return claimed;
    }

    /** A query for the number of messages that wait to be worked on. */
    public String waiting() {
        return "select count(*) from idembox_entry where consumer_id = "
                + receiver.consumer().number();
    }

    /** A query for the number of entries and leases. */
    public String leftOver() {
        return "select (%s) + (select count(*) from idembox_lease where consumer_id = %d)"
                .formatted(waiting(), receiver.consumer().number());
    }
}
