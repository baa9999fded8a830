// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Handlers that send under sources that this process has not seen yet. */
class NewSourceDbTest extends DatabaseTest {

    private static final int ATTEMPTS = 2;

    private final AtomicInteger calls = new AtomicInteger();

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.outbox("one").outbox("two");
    }

    private static void send(HandlerContext context, String destination, String source) {
        context.outbox()
                .send(
                        destination,
                        Message.of(context.effectKey(destination + source), "Sent", "{}")
                                .from(source));
    }

    private void sendUnderARandomSource(HandlerContext context) throws SQLException {
        calls.incrementAndGet();
        effect(context);
        if (context.id().id().equals("random")) {
            send(context, "one", "run-" + UUID.randomUUID());
        }
    }

    @Test
    void aHandlerThatSendsUnderAnotherSourceAtEachRunFailsWithTheReasonAndTheOthersOfItsBatchComplete() {
        RetryPolicy retry = RetryPolicy.exponential(ATTEMPTS, Duration.ofMillis(1), Duration.ofMillis(1))
                .by(RetryBy.REDELIVERY);
        Subscription senders = inbox.subscribe("senders")
                .policy(ConsumerPolicy.defaults().retry(retry))
                .on("OrderPlaced", String.class, (text, context) -> sendUnderARandomSource(context));

        List<Receipt> first = senders.handleAll(List.of(message("m1"), message("random"), message("m2")));
        Receipt last = senders.handle(message("random"));

        assertThat(first)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.FAILED, Receipt.Kind.COMPLETED);
        assertThat(last.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(last.acknowledges()).isTrue();
        assertThat(effects()).containsExactly("m1", "m2");
        assertThat(database.list("select error from idembox_attempt"))
                .hasSize(ATTEMPTS)
                .allSatisfy(error -> assertThat(error).contains("under another source at each run"));
        assertThat(database.list("select name from idembox_source where name like 'run-%'"))
                .as("sources that were looked up and never used")
                .hasSizeLessThan(calls.get());
    }

    @Test
    void newSourcesOfARunAreLookedUpTogetherSoThatTheSecondRunCommits() {
        Receipt receipt = inbox.handle("senders", message("m1"), context -> {
            calls.incrementAndGet();
            for (String destination : List.of("one", "two")) {
                for (int nth = 1; nth <= 5; nth++) {
                    send(context, destination, "/" + destination + nth);
                }
            }
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(calls).hasValue(2);
        assertThat(database.count("idembox_entry")).isEqualTo(10);
    }
}
