// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import io.idembox.benchmarks.rig.Workload;

/** A direct consumer whose handler does its update and sends one message for each that it handles. Nobody relays. */
final class Answering implements Strategy, AutoCloseable {

    private static final int BATCH = 100;

    private final Inbox inbox;
    private final String name;
    private final InboxHandler handler;

    private Answering(Arena arena, String style, InboxHandler handler) {
        this.name = "idembox batch " + BATCH + ", " + style;
        this.handler = handler;
        this.inbox = Inbox.on(arena.dataSource())
                .createSchema()
                .outbox(Office.DESTINATION)
                .start();
    }

    static Answering oneByOne(Arena arena) {
        return new Answering(arena, "one by one", context -> {
            Accounts.deposit(context.connection(), context.message());
            answer(context);
        });
    }

    static Answering later(Arena arena) {
        return new Answering(arena, "later", context -> {
            Accounts.depositLater(context);
            answer(context);
        });
    }

    private static void answer(HandlerContext context) {
        Message handled = context.message();
        context.outbox()
                .send(
                        Office.DESTINATION,
                        Message.of(context.effectKey("receipt"), Workload.TYPE, handled.payload())
                                .keyed(handled.key().orElseThrow()));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int batchSize() {
        return BATCH;
    }

    @Override
    public String effects() {
        return Accounts.EFFECTS;
    }

    @Override
    public Tally consume(Feed feed) {
        return Tally.of(inbox.handleAll(name, feed.next(BATCH), handler));
    }

    @Override
    public void close() {
        inbox.close();
    }

    /** As many were sent as were handled, and each names its cause. */
    @Override
    public String leftOver() {
        return """
                select abs((select count(*) from idembox_ledger where kind = 'D')
                         - (select count(distinct cause) from idembox_body)
                     ) + abs((select count(distinct cause) from idembox_body)
                         - (select count(*) from idembox_entry))
                """;
    }
}
