// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Failure;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReleaseOrderTest {

    private static final Message KEYED = Message.of("1", "OrderPlaced", "{}").keyed("k");
    private static final Duration LONG = Duration.ofSeconds(1);
    private static final Receipt SOON = Receipt.busy("another message ended the transaction");

    private final ReleaseOrder order =
            new ReleaseOrder(ConsumerPolicy.defaults().ordering(Ordering.HOLD), true);

    @Test
    void waitsAsLongAsTheLongestInFrontOfItsKey() {
        order.next(KEYED, SOON);
        order.next(KEYED, Receipt.busy("the database went away", LONG));
        Receipt behind = order.next(KEYED, SOON);

        assertThat(behind.kind()).isEqualTo(Receipt.Kind.BUSY);
        assertThat(behind.reason()).isEqualTo(SOON.reason());
        assertThat(behind.retryAfter()).contains(LONG);
    }

    @Test
    void aFailureThatIsRedeliveredKeepsItsErrorAndWaitsToo() {
        order.next(KEYED, Receipt.busy("the database went away", LONG));
        Failure failure = Samples.failure(Failure.Kind.TRANSIENT);
        Receipt behind = order.next(KEYED, Receipt.failedUntilRedelivery(failure, Duration.ZERO));

        assertThat(behind.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(behind.failure()).contains(failure);
        assertThat(behind.retryAfter()).contains(LONG);
    }

    @Test
    void otherKeysAndAcknowledgedMessagesKeepTheirReceipts() {
        order.next(KEYED, Receipt.busy("the database went away", LONG));

        assertThat(order.next(KEYED.keyed("other"), SOON)).isSameAs(SOON);
        assertThat(order.next(Message.of("2", "OrderPlaced", "{}"), SOON)).isSameAs(SOON);
        Receipt stored = Receipt.stored();
        assertThat(order.next(KEYED, stored)).isSameAs(stored);
    }

    @Test
    void onlyWhereOrderIsKept() {
        Receipt longer = Receipt.busy("the database went away", LONG);
        ReleaseOrder byInbox = new ReleaseOrder(ConsumerPolicy.defaults(), true);
        byInbox.next(KEYED, longer);
        assertThat(byInbox.next(KEYED, SOON)).isSameAs(SOON);

        ReleaseOrder byRedelivery = new ReleaseOrder(ConsumerPolicy.defaults(), false);
        byRedelivery.next(KEYED, longer);
        assertThat(byRedelivery.next(KEYED, SOON).retryAfter()).contains(LONG);
    }
}
