// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A handler whose connection is gone: the messages in front of it are done first, and their order stands. */
class LostConnectionDbTest extends DatabaseTest {

    private final Set<String> unlucky = new HashSet<>(Set.of("m3"));

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.consumer(
                "billing",
                ConsumerPolicy.defaults()
                        .ordering(Ordering.HOLD)
                        .retry(RetryPolicy.exponential(5, Duration.ZERO, Duration.ZERO)));
    }

    private List<Receipt> deliver(String... ids) {
        List<Message> messages =
                Stream.of(ids).map(id -> message(id).keyed("k")).toList();
        return inbox.handleAll("billing", messages, context -> {
            effect(context);
            if (unlucky.contains(context.id().id())) {
                execute(context, "select pg_terminate_backend(pg_backend_pid())");
            }
        });
    }

    @Test
    void whoLosesItsConnectionDoesNotOvertakeThoseOfItsKeyInFrontOfIt() {
        assumeTrue(isPostgres(), "H2 has no sessions that another one could end");
        assertThat(deliver("m1", "m2", "m3", "m4"))
                .extracting(Receipt::kind)
                .containsExactly(
                        Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED, Receipt.Kind.FAILED, Receipt.Kind.BUSY);

        unlucky.clear();
        assertThat(deliver("m3", "m4"))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("m1", "m2", "m3", "m4");
    }
}
