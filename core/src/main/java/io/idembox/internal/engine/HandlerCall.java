// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.BatchHandler;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages that are handled by one call: a single one, or neighbours that share a batch handler.
 *
 * @param members at least one, in the order of arrival
 */
record HandlerCall(List<RecordedMessage> members) {

    boolean isBulk() {
        return members.size() > 1;
    }

    /** The two halves, to find the guilty one. */
    List<HandlerCall> halves() {
        int middle = members.size() / 2;
        return List.of(
                new HandlerCall(members.subList(0, middle)), new HandlerCall(members.subList(middle, members.size())));
    }

    /** Neighbours with the same batch handler become one call; order is kept. */
    static List<HandlerCall> over(List<RecordedMessage> due) {
        List<HandlerCall> calls = new ArrayList<>();
        List<RecordedMessage> run = new ArrayList<>();
        for (RecordedMessage recorded : due) {
            if (!run.isEmpty() && !sharesHandler(run.get(0), recorded)) {
                calls.add(new HandlerCall(List.copyOf(run)));
                run.clear();
            }
            run.add(recorded);
        }
        if (!run.isEmpty()) {
            calls.add(new HandlerCall(List.copyOf(run)));
        }
        return calls;
    }

    private static boolean sharesHandler(RecordedMessage one, RecordedMessage other) {
        return one.incoming().task() instanceof HandlerTask.Bulk first
                && other.incoming().task() instanceof HandlerTask.Bulk second
                && sameInstance(first.handler(), second.handler());
    }

    @SuppressWarnings("ReferenceEquality") // one registration, one instance
    private static boolean sameInstance(BatchHandler<Object> one, BatchHandler<Object> other) {
        return one == other;
    }
}
