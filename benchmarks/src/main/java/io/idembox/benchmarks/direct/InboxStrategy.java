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
public abstract class InboxStrategy implements Strategy, AutoCloseable {

    private final String name;
    private final int batchSize;
    private final Inbox inbox;

    InboxStrategy(Arena arena, String style, int batchSize, Recording recording) {
        this(
                arena,
                "idembox batch " + batchSize
                        + (style.isEmpty() ? "" : ", " + style)
                        + (recording == Recording.FULL ? ", with payload" : ""),
                batchSize,
                ConsumerPolicy.defaults().recording(recording));
    }

    protected InboxStrategy(Arena arena, String name, int batchSize, ConsumerPolicy policy) {
        this.name = name;
        this.batchSize = batchSize;
        this.inbox = Inbox.on(arena.dataSource())
                .createSchema()
                .consumer(name, policy)
                .start();
    }

    protected final Inbox inbox() {
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

    protected abstract List<Receipt> handle(List<Message> batch);

    @Override
    public final void close() {
        inbox.close();
    }
}
