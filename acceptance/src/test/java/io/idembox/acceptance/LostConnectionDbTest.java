// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A handler whose connection is gone: the messages in front of it are done first, and their order stands. */
class LostConnectionDbTest extends DatabaseTest {

    private final Set<String> unlucky = Set.of("m3");
    private Subscription billing;

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.consumer(
                "billing",
                ConsumerPolicy.defaults()
                        .ordering(Ordering.HOLD)
                        .retry(RetryPolicy.exponential(5, Duration.ofDays(1), Duration.ofDays(1))));
    }

    private List<Receipt> deliver(String... ids) {
        List<Message> messages =
                Stream.of(ids).map(id -> message(id).keyed("k")).toList();
        return billing().handleAll(messages);
    }

    private Subscription billing() {
        if (billing == null) {
            billing = inbox.subscribe("billing").on("OrderPlaced", Message.class, (message, context) -> {
                effect(context);
                if (unlucky.contains(context.id().id())) {
                    execute(context, "select pg_terminate_backend(pg_backend_pid())");
                }
            });
        }
        return billing;
    }

    @Test
    void whoLosesItsConnectionDoesNotOvertakeThoseOfItsKeyInFrontOfIt() {
        assumeTrue(isPostgres(), "H2 has no sessions that another one could end");
        assertThat(deliver("m1", "m2", "m3", "m4"))
                .extracting(Receipt::kind)
                .containsExactly(
                        Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED, Receipt.Kind.STORED, Receipt.Kind.BUSY);

        assertThat(deliver("m3", "m4"))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.STORED, Receipt.Kind.STORED);
        assertThat(effects()).containsExactly("m1", "m2");
        assertThat(database.list("select message_id || ' ' || status from idembox_inbox order by arrival"))
                .containsExactly("m1 COMPLETED", "m2 COMPLETED", "m3 FAILED_RETRYABLE", "m4 WAITING");
    }
}
