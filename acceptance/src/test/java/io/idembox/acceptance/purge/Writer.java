// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.purge;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Goes on with its business while others purge: new messages in both modes, late duplicates inside the horizon, and
 * duplicates that are so late that their marks may go at this very moment. Every answer is checked. For one thread.
 */
final class Writer {

    private static final int NEW = 10;
    private static final int KNOWN = 10;
    private static final int VERY_LATE = 4;

    private final Inbox inbox;
    private final int number;
    private final int inside;
    private final int old;
    private final Consumer<String> violations;
    private final Random random;
    private int direct;
    private int stored;
    private int duplicates;
    private int again;

    /**
     * @param inside how many messages of each consumer are inside the horizon
     * @param old how many of both are not
     */
    Writer(Inbox inbox, int number, int inside, int old, Consumer<String> violations) {
        this.inbox = inbox;
        this.number = number;
        this.inside = inside;
        this.old = old;
        this.violations = violations;
        this.random = new Random(number);
    }

    void round() {
        List<Message> fresh = IntStream.range(0, NEW)
                .mapToObj(i -> PurgeRun.message("new-" + number + "-" + (direct + stored + i)))
                .toList();
        direct += count(handle(fresh), fresh, EnumSet.of(Receipt.Kind.COMPLETED));
        List<Message> kept = fresh.stream()
                .map(message -> PurgeRun.message(message.id().orElseThrow() + "-stored"))
                .toList();
        stored += count(inbox.store(PurgeRun.STORED, kept), kept, EnumSet.of(Receipt.Kind.STORED));
        List<Message> known = random.ints(KNOWN, 0, inside)
                .distinct()
                .mapToObj(PurgeRun::inside)
                .toList();
        duplicates += count(handle(known), known, EnumSet.of(Receipt.Kind.DUPLICATE));
        duplicates += count(inbox.store(PurgeRun.STORED, known), known, EnumSet.of(Receipt.Kind.DUPLICATE));
        veryLate();
    }

    /** Known, forgotten, or being forgotten; but never an error, and never a second time. */
    private void veryLate() {
        for (int i = 0; i < VERY_LATE; i++) {
            int nr = random.nextInt(old);
            List<Message> late = List.of(PurgeRun.old(nr));
            boolean isDirect = nr % 2 == 0;
            List<Receipt> receipts = isDirect ? handle(late) : inbox.store(PurgeRun.STORED, late);
            Receipt.Kind first = isDirect ? Receipt.Kind.COMPLETED : Receipt.Kind.STORED;
            count(receipts, late, EnumSet.of(first, Receipt.Kind.DUPLICATE, Receipt.Kind.BUSY));
            again += receipts.get(0).kind() == Receipt.Kind.COMPLETED ? 1 : 0;
        }
    }

    private List<Receipt> handle(List<Message> messages) {
        return inbox.handleAll(PurgeRun.DIRECT, messages, PurgeRun::effect);
    }

    private int count(List<Receipt> receipts, List<Message> messages, Set<Receipt.Kind> expected) {
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < receipts.size(); i++) {
            if (!expected.contains(receipts.get(i).kind())) {
                wrong.add(messages.get(i).id().orElseThrow() + " " + receipts.get(i));
            }
        }
        if (!wrong.isEmpty()) {
            violations.accept("instead of " + expected + ": " + wrong);
        }
        return receipts.size() - wrong.size();
    }

    int direct() {
        return direct;
    }

    int stored() {
        return stored;
    }

    int duplicates() {
        return duplicates;
    }

    /** How many very late duplicates ran again at once. */
    int again() {
        return again;
    }
}
