// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.ordered;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.direct.InboxStrategy;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Workload;
import io.idembox.benchmarks.stored.Station;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import java.util.List;

/** Direct mode with a registered handler, so that the inbox can retry it, which an order needs. */
final class Direct extends InboxStrategy {

    private static final int BATCH = 100;

    private final Subscription subscription;

    Direct(Arena arena, Ordering ordering) {
        super(
                arena,
                Station.named("direct " + BATCH + ", later", ordering),
                BATCH,
                ConsumerPolicy.defaults()
                        .retry(RetryPolicy.defaults().by(RetryBy.INBOX))
                        .ordering(ordering));
        this.subscription = inbox().subscribe(name())
                .on(Workload.TYPE, Message.class, (message, context) -> Accounts.depositLater(context));
    }

    @Override
    protected List<Receipt> handle(List<Message> batch) {
        return subscription.handleAll(batch);
    }
}
