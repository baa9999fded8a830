// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.Message;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A backlog that was committed before the clock starts, from the start of the relay until the last message is marked. The relay
 * has threads of its own: of the rig's workers one starts it and waits, the others stand for its number of threads.
 */
final class Drain implements Strategy {

    private static final int TOGETHER = 100;
    private static final long PATIENCE_SECONDS = 120;

    private final Arena arena;
    private final Office.Opening opening;
    private final Target target;
    private final int stock;
    private final AtomicBoolean begun = new AtomicBoolean();
    private Manifest manifest = new Manifest(List.of(), false);
    private CountDownLatch left = new CountDownLatch(0);
    private @Nullable Office office;

    /** @param stock how many messages there are in a slice */
    Drain(Arena arena, Office.Opening opening, Target target, int stock) {
        this.arena = arena;
        this.opening = opening;
        this.target = target;
        this.stock = stock;
    }

    @Override
    public String name() {
        return opening.name();
    }

    @Override
    public int batchSize() {
        return opening.batchSize();
    }

    @Override
    public String effects() {
        return opening.marks();
    }

    @Override
    public String leftOver() {
        return opening.leftOver();
    }

    @Override
    public boolean worksOff() {
        return true;
    }

    @Override
    public void prepare(Feed feed) throws Exception {
        CountDownLatch counted = new CountDownLatch(stock);
        left = counted;
        Office opened = opening.open(target, new Office.Ears(id -> {}, id -> counted.countDown()));
        office = opened;
        List<Message> messages = feed.next(stock).stream()
                .map(opening.keepsOrder() ? Letters::keyed : Letters::unkeyed)
                .toList();
        for (int from = 0; from < stock; from += TOGETHER) {
            opened.send(messages.subList(from, Math.min(stock, from + TOGETHER)));
        }
        manifest = new Manifest(messages.stream().map(Arrival::of).toList(), opening.keepsOrder());
        target.begin();
        // Nobody's plans are those of an empty table.
        arena.vacuum(opening.tables());
        begun.set(false);
    }

    @Override
    public Tally consume(Feed nothing) throws InterruptedException {
        if (!begun.compareAndSet(false, true)) {
            return Tally.NOTHING;
        }
        Objects.requireNonNull(office).startRelay();
        boolean done = left.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return done ? Tally.completed(stock) : Tally.failed(left.getCount());
    }

    @Override
    public void inspect() {
        Objects.requireNonNull(office).close();
        manifest.orThrow(name() + ", " + target.name(), target.arrivals());
    }
}
