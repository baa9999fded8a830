// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.WorkPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A message with two crashes runs alone in its process. */
class SuspectDbTest extends DatabaseTest {

    private static final Duration LONG_ENOUGH_TO_BE_SEEN = Duration.ofSeconds(1);

    private final Seen seen = new Seen();
    private final AtomicInteger running = new AtomicInteger();
    private final CountDownLatch beside = new CountDownLatch(1);
    private final List<String> together = new CopyOnWriteArrayList<>();

    private static ConsumerPolicy stored() {
        return ConsumerPolicy.defaults()
                .mode(Mode.STORED)
                .work(WorkPolicy.defaults().workers(3).batch(1).poll(Duration.ofMillis(20)));
    }

    private void handle(HandlerContext context) throws Exception {
        int others = running.getAndIncrement();
        try {
            if (context.id().id().startsWith("suspect")) {
                if (others > 0) {
                    together.add(context.id().id() + " began beside " + others);
                }
                if (beside.await(LONG_ENOUGH_TO_BE_SEEN.toMillis(), TimeUnit.MILLISECONDS)) {
                    together.add("another began beside " + context.id().id());
                }
            } else if (suspectRuns) {
                beside.countDown();
            }
            effect(context);
        } finally {
            running.decrementAndGet();
        }
    }

    private volatile boolean suspectRuns;

    private void run(HandlerContext context) throws Exception {
        boolean suspect = context.id().id().startsWith("suspect");
        if (suspect) {
            suspectRuns = true;
        }
        try {
            handle(context);
        } finally {
            if (suspect) {
                suspectRuns = false;
            }
        }
    }

    @Test
    void aSuspectRunsBesideNoOtherMessageOfItsProcessWhateverTheConsumer() {
        try (Inbox node = builder()
                .consumer("billing", stored())
                .consumer("shipping", stored())
                .listener(seen)
                .start()) {
            node.store("billing", List.of(message("suspect1"), message("suspect2")));
            database.run("update idembox_entry set crashes = 2, state = 'FAILED_RETRYABLE', reason = 'LEASE_EXPIRED',"
                    + " error_kind = 'TRANSIENT', error_class = 'LeaseExpired', error = 'expired',"
                    + " due_at = timestamp with time zone '2020-01-01 00:00:00+00', changed_at = current_timestamp");
            for (int n = 0; n < 10; n++) {
                node.store("billing", message("b" + n));
                node.store("shipping", message("s" + n));
            }
            node.subscribe("billing")
                    .on("OrderPlaced", String.class, (text, context) -> run(context))
                    .start();
            node.subscribe("shipping")
                    .on("OrderPlaced", String.class, (text, context) -> run(context))
                    .start();
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 22);
        }
        assertThat(together).isEmpty();
        assertThat(database.count("effect")).isEqualTo(22);
    }
}
