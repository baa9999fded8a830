// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.InboxException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.admin.Filter;
import io.idembox.admin.Operation;
import io.idembox.admin.Preview;
import io.idembox.admin.Report;
import io.idembox.admin.Status;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operators, workers and deliveries at the same messages at the same time: nobody waits for ever, nothing runs twice. */
class AdminCrowdDbTest extends DatabaseTest {

    private static final int MESSAGES = 60;
    private static final int KEYS = 6;
    private static final int ROUNDS = 25;

    private final ManualClock clock = ManualClock.create();
    private final AtomicInteger operations = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    private final InboxHandler handler = context -> {
        int nr = Integer.parseInt(context.id().id());
        if (context.attempt() <= nr % 4) {
            throw nr % 3 == 0 ? HandlerException.park("look at it") : new IllegalStateException("not yet");
        }
        effect(context);
    };

    private static Message keyed(int nr) {
        return message(Integer.toString(nr)).keyed("k" + nr % KEYS);
    }

    @ParameterizedTest
    @EnumSource
    void nothingRunsTwiceAndNothingIsStuck(Ordering ordering) throws Exception {
        ConsumerPolicy policy = ConsumerPolicy.defaults()
                .ordering(ordering)
                .recording(Recording.FULL)
                .retry(RetryPolicy.exponential(3, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));
        AdminBench bench = new AdminBench(database, clock, policy, handler);
        IntStream.range(0, MESSAGES / 2).forEach(nr -> bench.node.store(keyed(nr)));
        List<Callable<Integer>> crowd = new ArrayList<>();
        for (int worker = 0; worker < 2; worker++) {
            crowd.add(() -> rounds(round -> bench.node.work()));
        }
        for (int operator = 0; operator < 3; operator++) {
            Random random = new Random(operator);
            crowd.add(() -> rounds(round -> command(bench, random)));
        }
        crowd.add(() -> rounds(round -> bench.node.receiver.receive(
                List.of(keyed(MESSAGES / 2 + round), keyed(round)), message -> new HandlerTask.Single(handler))));
        ExecutorService threads = Executors.newFixedThreadPool(crowd.size());
        try {
            for (Future<Integer> each : threads.invokeAll(crowd, 120, TimeUnit.SECONDS)) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        IntStream.range(0, MESSAGES).forEach(nr -> bench.node.store(keyed(nr)));

        for (int round = 0; round < 100 && database.count("idembox_entry") > 0; round++) {
            clock.advance(Duration.ofSeconds(1));
            all(bench, Status.DISCARDED, (preview, operation) -> bench.admin.restore(preview.refs(), operation));
            all(bench, Status.PARKED, (preview, operation) -> bench.admin.redrive(preview.refs(), operation));
            all(bench, Status.FAILED_TERMINAL, (preview, operation) -> bench.admin.redrive(preview.refs(), operation));
            bench.node.work();
        }

        assertThat(effects()).hasSize(MESSAGES).doesNotHaveDuplicates();
        assertThat(database.list("select distinct status from idembox_inbox")).containsExactly("COMPLETED");
        assertThat(database.count("idembox_lease")).isZero();
        assertThat(done).as("commands that changed something").hasPositiveValue();
        assertThat(bench.seen.count(event -> event instanceof InboxEvent.OwnershipLost))
                .as("nobody's work was taken away by a command")
                .isZero();
    }

    private interface Round {
        Object run(int round);
    }

    /** An answer that does not come in time is part of the game; the next round asks again. */
    private static int rounds(Round what) {
        int answered = 0;
        for (int round = 0; round < ROUNDS; round++) {
            try {
                what.run(round);
                answered++;
            } catch (InboxException busy) {
                assertThat(busy)
                        .cause()
                        .isInstanceOfSatisfying(
                                TransactionFailed.class,
                                failed -> assertThat(failed.kind())
                                        .isIn(TransactionFailed.Kind.BUSY, TransactionFailed.Kind.CONTENDED));
            }
        }
        return answered;
    }

    private List<Receipt> command(AdminBench bench, Random random) {
        Status[] statuses = Status.values();
        Status status = statuses[random.nextInt(statuses.length - 1)];
        Preview preview = bench.admin.preview(Filter.of(CONSUMER).status(status), 5);
        if (!preview.messages().isEmpty()) {
            Operation operation = new Operation("op" + operations.incrementAndGet(), "anna", "to see what happens");
            Report report = switch (random.nextInt(4)) {
                case 0 -> bench.admin.redrive(preview.refs(), operation);
                case 1 -> bench.admin.park(preview.refs(), operation);
                case 2 -> bench.admin.discard(preview.refs(), operation);
                default -> bench.admin.restore(preview.refs(), operation);
            };
            done.addAndGet(report.done());
        }
        return List.of();
    }

    private interface Doing {
        Report with(Preview preview, Operation operation);
    }

    private void all(AdminBench bench, Status status, Doing doing) {
        Preview preview = bench.admin.preview(Filter.of(CONSUMER).status(status), 1_000);
        if (!preview.messages().isEmpty()) {
            doing.with(preview, new Operation("end" + operations.incrementAndGet(), "anna", "to come to an end"));
        }
    }
}
