// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Page;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.WorkPolicy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** While what handlers call is away nobody pays an attempt, nobody calls it all the time, and afterwards it goes on by itself. */
class StoredOutageDbTest extends DatabaseTest {

    private static final int MESSAGES = 10;
    /** Said when they rest for a second or longer. */
    private static final String REST = "no message of a batch of 10 succeeded: ";

    private final AtomicInteger calls = new AtomicInteger();
    private final Seen seen = new Seen();

    /** What it calls is away until the workers have rested for long. */
    private void call(Overheard log) throws ConnectException {
        if (!log.text().contains(REST)) {
            calls.incrementAndGet();
            throw new ConnectException("the bank is away");
        }
    }

    @Test
    void workersRestLongerAndLongerUntilSomethingGetsThrough() {
        ConsumerPolicy stored = ConsumerPolicy.defaults()
                .mode(Mode.STORED)
                .work(WorkPolicy.defaults().workers(1).poll(Duration.ofMillis(100)));
        try (Overheard log = new Overheard();
                Inbox node = Inbox.on(database.dataSource())
                        .consumer("charges", stored)
                        .listener(seen)
                        .start()) {
            node.store("charges", messages());
            node.subscribe("charges")
                    .on("OrderPlaced", String.class, (order, ctx) -> {
                        call(log);
                        effect(ctx);
                    })
                    .start();
            seen.awaitAnswers(Receipt.Kind.COMPLETED, MESSAGES);

            List<InboxMessage> all =
                    node.admin().list(Filter.of("charges"), Page.first(100)).messages();
            assertThat(all)
                    .allSatisfy(each -> assertThat(each.counters().failures()).isZero());
            assertThat(log.text()).contains(REST).doesNotContain("Optional[");
        }
        assertThat(calls.get()).as("calls in vain, three for each try").isBetween(3, 60);
        assertThat(database.count("idembox_attempt")).isZero();
        assertThat(database.count("effect")).isEqualTo(MESSAGES);
    }

    private static List<Message> messages() {
        return IntStream.range(0, MESSAGES).mapToObj(n -> message("m" + n)).toList();
    }
}
