// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.direct;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Workload;
import io.idembox.policy.Recording;
import java.util.List;

/** The handler gets the batch as a whole and changes every account once, with one statement. */
final class WholeBatch extends InboxStrategy {

    private final Subscription subscription;

    WholeBatch(Arena arena, int batchSize, Recording recording) {
        super(arena, "batch handler", batchSize, recording);
        this.subscription = inbox().subscribe(name()).onBatch(Workload.TYPE, Message.class, Accounts::depositAll);
    }

    @Override
    protected List<Receipt> handle(List<Message> batch) {
        return subscription.handleAll(batch);
    }
}
