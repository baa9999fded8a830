// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.direct;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.policy.Recording;
import java.util.List;

/** The handler still sees one message at a time, but puts its statement off to the end of the batch. */
final class Later extends InboxStrategy {

    Later(Arena arena, int batchSize, Recording recording) {
        super(arena, "later", batchSize, recording);
    }

    @Override
    protected List<Receipt> handle(List<Message> batch) {
        return inbox().handleAll(name(), batch, Accounts::depositLater);
    }
}
