// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import io.idembox.MessageId;
import io.idembox.event.InboxEvent;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The note on a thread that a handler runs on it, and whose. It is written only when somebody in this process watches a
 * DataSource. Beginning and ending belong to the handler's thread; the rest is thread-safe.
 */
final class RunningHandler {

    private static final ThreadLocal<@Nullable RunningHandler> HERE = new ThreadLocal<>();
    private static volatile boolean wanted;

    private final String consumer;
    private final MessageId id;
    private final Consumer<InboxEvent> listener;
    private final @Nullable RunningHandler around;
    private volatile boolean over;
    private volatile @Nullable SQLException refused;

    private RunningHandler(
            String consumer, MessageId id, Consumer<InboxEvent> listener, @Nullable RunningHandler around) {
        this.consumer = consumer;
        this.id = id;
        this.listener = listener;
        this.around = around;
    }

    /** Somebody asks for these notes from now on. */
    static void want() {
        wanted = true;
    }

    /** A handler begins on this thread, perhaps called by another one; null when nobody wants to know. */
    static @Nullable RunningHandler begin(String consumer, MessageId id, Consumer<InboxEvent> listener) {
        if (!wanted) {
            return null;
        }
        RunningHandler begun = new RunningHandler(consumer, id, listener, HERE.get());
        HERE.set(begun);
        return begun;
    }

    /** The handler that runs on this thread; null when none does. */
    static @Nullable RunningHandler here() {
        return HERE.get();
    }

    /** The handler has returned. */
    void end() {
        over = true;
        if (around == null) {
            HERE.remove();
        } else {
            HERE.set(around);
        }
    }

    boolean isOver() {
        return over;
    }

    String consumer() {
        return consumer;
    }

    MessageId id() {
        return id;
    }

    void tell(InboxEvent event) {
        listener.accept(event);
    }

    /** A write was refused. The message has failed, whether or not its handler throws that on. */
    void refuse(SQLException error) {
        refused = error;
    }

    @Nullable
    SQLException refused() {
        return refused;
    }
}
