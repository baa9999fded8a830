// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.policy.WorkPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whoever fetches what is missing does it in his own time. */
class RefetchDbTest extends DatabaseTest {

    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final SequencePolicy BY_HEADER = SequencePolicy.by(SequenceNumber.header("version"));
    private static final ConsumerPolicy STORED = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .ordering(Ordering.HOLD)
            .work(WorkPolicy.defaults().workers(1).poll(Duration.ofMillis(20)));

    private final Seen seen = new Seen();

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.listener(seen);
    }

    private static Message version(long version) {
        return message("a" + version).keyed("a").header("version", Long.toString(version));
    }

    private void storeWithAGap(String consumer, SequencePolicy sequence) {
        inbox.subscribe(consumer)
                .policy(STORED.sequence(sequence))
                .on("OrderPlaced", Payload.class, (payload, context) -> effect(context, consumer))
                .handleAll(List.of(version(1), version(3)));
    }

    @Test
    void oneThatHangsHoldsUpNobodyElse() throws InterruptedException {
        CountDownLatch fetching = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        storeWithAGap("slow", BY_HEADER.refetchGapsAfter(AT_ONCE, gap -> {
            fetching.countDown();
            goOn.await(120, TimeUnit.SECONDS);
        }));
        assertThat(fetching.await(60, TimeUnit.SECONDS)).isTrue();

        storeWithAGap("quick", BY_HEADER.skipGapsAfter(AT_ONCE));
        seen.await(
                event -> event instanceof InboxEvent.GapTimedOut timedOut
                        && timedOut.consumer().equals("quick"),
                1,
                "gaps of the other consumer");

        assertThat(goOn.getCount()).as("still fetching").isEqualTo(1);
        goOn.countDown();
    }
}
