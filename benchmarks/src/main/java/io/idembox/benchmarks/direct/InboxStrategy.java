// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.direct;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Recording;
import java.util.List;

/** What the strategies that use the library have in common. Each has an inbox and a consumer of its own. */
abstract class InboxStrategy implements Strategy {

    private final String name;
    private final int batchSize;
    private final Inbox inbox;

    InboxStrategy(Arena arena, String style, int batchSize, Recording recording) {
        this.name = "idembox batch " + batchSize
                + (style.isEmpty() ? "" : ", " + style)
                + (recording == Recording.FULL ? ", with payload" : "");
        this.batchSize = batchSize;
        this.inbox = Inbox.on(arena.dataSource())
                .createSchema()
                .consumer(name, ConsumerPolicy.defaults().recording(recording))
                .start();
    }

    final Inbox inbox() {
        return inbox;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final int batchSize() {
        return batchSize;
    }

    @Override
    public final String effects() {
        return Accounts.EFFECTS;
    }

    @Override
    public final Tally consume(Feed feed) {
        return Tally.of(handle(feed.next(batchSize)));
    }

    abstract List<Receipt> handle(List<Message> batch);
}
