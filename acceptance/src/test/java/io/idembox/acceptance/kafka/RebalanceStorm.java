// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import io.idembox.Inbox;
import io.idembox.event.InboxEvent;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.WorkPolicy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Four members of a group on eight partitions; every two seconds one leaves and is replaced, while keyed messages
 * arrive. Then the effects are compared with the messages sent: none missing, none twice, and in order per key.
 */
final class RebalanceStorm {

    private static final int PARTITIONS = 8;
    private static final int MEMBERS = 4;
    private static final int KEYS = 200;
    private static final Duration BETWEEN_CHANGES = Duration.ofSeconds(2);

    /** Limit of waiting messages: some are always in flight, and few are left at the end. */
    private static final int AHEAD = 500;

    private static final int DOSE = 10;
    private static final int LEAST = 5_000;

    private final Mode mode;
    private final Duration duration;
    private final int least;
    private final AtomicInteger revocations = new AtomicInteger();
    private final AtomicInteger busyRevocations = new AtomicInteger();
    private final AtomicInteger fenced = new AtomicInteger();

    /** @param least how many messages have to be sent at least */
    RebalanceStorm(Mode mode, Duration duration, int least) {
        this.mode = mode;
        this.duration = duration;
        this.least = least;
    }

    /** The result of a storm. */
    record Outcome(
            int sent,
            long effects,
            int lost,
            int doubled,
            int reordered,
            int changes,
            int revocations,
            int busyRevocations,
            int fenced) {

        boolean isRight() {
            return lost == 0 && doubled == 0 && reordered == 0;
        }

        @Override
        public String toString() {
            return "storm sent=" + sent + " effects=" + effects + " lost=" + lost + " doubled=" + doubled
                    + " reordered="
                    + reordered + " changes=" + changes + " revocations=" + revocations + " with-work-in-flight="
                    + busyRevocations + " fenced=" + fenced + " session-timeout-ms=6000";
        }
    }

    /** One minute in each mode; exit code 0 only if all checks pass and enough happened. */
    public static void main(String[] args) {
        boolean right = true;
        for (Mode mode : Mode.values()) {
            Outcome outcome = new RebalanceStorm(mode, Duration.ofSeconds(60), LEAST).run();
            System.out.println(mode + " " + outcome);
            right &= outcome.isRight() && outcome.sent >= LEAST && outcome.busyRevocations >= 20;
        }
        System.exit(right ? 0 : 1);
    }

    Outcome run() {
        try (KafkaBench bench = new KafkaBench(PARTITIONS)) {
            Deque<Inbox> members = new ArrayDeque<>();
            for (int n = 0; n < MEMBERS; n++) {
                members.add(join(bench));
            }
            List<Thread> leaving = new ArrayList<>();
            long begin = System.nanoTime();
            long change = System.nanoTime() + BETWEEN_CHANGES.toNanos();
            int sent = 0;
            int changes = 0;
            while (goesOn(System.nanoTime() - begin, sent)) {
                if (sent - bench.count("effect") < AHEAD) {
                    sent = send(bench, sent);
                } else {
                    LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
                }
                if (System.nanoTime() > change) {
                    change += BETWEEN_CHANGES.toNanos();
                    changes++;
                    Thread close = new Thread(members.remove()::close);
                    close.start();
                    leaving.add(close);
                    members.add(join(bench));
                }
            }
            int all = sent;
            KafkaBench.await(
                    "effects of all", () -> bench.count("effect") >= all, () -> bench.count("effect") + " of " + all);
            leaving.forEach(RebalanceStorm::join);
            return check(bench, sent, changes);
        }
    }

    /** Runs longer on a slow machine, within a limit, because a storm with few messages proves little. */
    private boolean goesOn(long nanos, int sent) {
        return nanos < duration.toNanos() || (sent < least && nanos < 3 * duration.toNanos());
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }

    private static int send(KafkaBench bench, int from) {
        List<Future<RecordMetadata>> acknowledgements = new ArrayList<>();
        for (int n = from; n < from + DOSE; n++) {
            acknowledgements.add(bench.send(bench.paid("p" + n, "k" + n % KEYS)));
        }
        acknowledgements.forEach(KafkaBench::get);
        return from + DOSE;
    }

    private Inbox join(KafkaBench bench) {
        Inbox inbox = bench.inbox(this::count);
        inbox.subscribe("billing")
                .policy(ConsumerPolicy.defaults()
                        .mode(mode)
                        .ordering(Ordering.HOLD)
                        .work(WorkPolicy.defaults().workers(2)))
                .from(KafkaSource.topics(bench.config(), bench.topic)
                        .firstStart(FirstStart.EARLIEST)
                        .lanes(2)
                        .batch(20))
                .on("Paid", String.class, (payload, ctx) -> {
                    KafkaBench.effect(ctx);
                    LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
                })
                .start();
        return inbox;
    }

    private void count(InboxEvent event) {
        if (event instanceof InboxEvent.PartitionsRevoked left) {
            revocations.incrementAndGet();
            if (left.inFlight() > 0) {
                busyRevocations.incrementAndGet();
            }
        } else if (event instanceof InboxEvent.OwnershipLost) {
            fenced.incrementAndGet();
        }
    }

    private Outcome check(KafkaBench bench, int sent, int changes) {
        int distinct = (int) bench.count("(select distinct id from effect) e");
        int doubled = (int) bench.count("(select id from effect group by id having count(*) > 1) e");
        int reordered = (int) bench.count("""
                (select cast(substr(id, 2) as int) as place,
                        max(cast(substr(id, 2) as int)) over (partition by key order by number) as highest
                   from effect) e where place < highest""");
        return new Outcome(
                sent,
                bench.count("effect"),
                sent - distinct,
                doubled,
                reordered,
                changes,
                revocations.get(),
                busyRevocations.get(),
                fenced.get());
    }
}
