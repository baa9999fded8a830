// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.stored;

import io.idembox.BatchHandler;
import io.idembox.Message;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.internal.engine.HandlerTask;
import java.util.List;
import java.util.function.Function;

/** How a handler does its work. */
public enum Style {
    /** Its statement at once, message by message. */
    ONE_BY_ONE(
            "one by one",
            message -> new HandlerTask.Single(context -> Accounts.deposit(context.connection(), context.message()))),

    /** Its statement put off to the end of the batch. */
    LATER("later", message -> new HandlerTask.Single(Accounts::depositLater)),

    /** The whole batch with one statement. */
    WHOLE_BATCH("batch handler", message -> new HandlerTask.Bulk(WholeBatch.HANDLER, message));

    private final String words;
    private final Function<Message, HandlerTask> tasks;

    Style(String words, Function<Message, HandlerTask> tasks) {
        this.words = words;
        this.tasks = tasks;
    }

    String words() {
        return words;
    }

    public Function<Message, HandlerTask> jobs() {
        return tasks;
    }

    /** Neighbours are handled together when their handler is the same instance. */
    private static final class WholeBatch {

        static final BatchHandler<Object> HANDLER = (items, connection) -> {
            List<BatchHandler.Item<Message>> messages = items.stream()
                    .map(item -> new BatchHandler.Item<>((Message) item.payload(), item.context()))
                    .toList();
            Accounts.depositAll(messages, connection);
        };
    }
}
