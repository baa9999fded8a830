// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.direct;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.policy.Recording;
import java.util.List;

/** The handler does its statement at once, message by message: one round trip of its own for each. */
final class OneByOne extends InboxStrategy {

    OneByOne(Arena arena, int batchSize, Recording recording) {
        super(arena, batchSize == 1 ? "" : "one by one", batchSize, recording);
    }

    @Override
    protected List<Receipt> handle(List<Message> batch) {
        return inbox().handleAll(name(), batch, context -> Accounts.deposit(context.connection(), context.message()));
    }
}
