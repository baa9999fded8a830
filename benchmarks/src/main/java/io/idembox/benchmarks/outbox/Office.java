// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.Message;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/** One library's outbox as an application uses it, with threads of its own once they are started. Not thread-safe. */
interface Office extends AutoCloseable {

    /** The only destination. */
    String DESTINATION = "deposits";

    /** Writes messages in a transaction and commits it. Who relays already, in this process, is told at once. */
    void send(List<Message> messages) throws SQLException;

    /** From now on messages are brought to the target. */
    void startRelay();

    /** Ends all threads. */
    @Override
    void close();

    /**
     * Who is told of messages, by their ids.
     *
     * @param committed the transaction that wrote it is committed; told before anybody is woken
     * @param marked it was confirmed, and that is committed
     */
    record Ears(Consumer<String> committed, Consumer<String> marked) {}

    /** How offices of one kind are opened: once for each slice. */
    interface Opening {

        /** As it stands in the table. */
        String name();

        /** How many messages are worked on at once; so many are lost in an error. */
        int batchSize();

        /** Whether messages of a key are brought in the order of their commits. */
        boolean keepsOrder();

        /** A query for a number that grows by one for every message that is marked. */
        String marks();

        /** A query for the number of rows that are not there when everything is done. */
        String leftOver();

        /** What grows with every message. */
        List<String> tables();

        Office open(Target target, Ears ears);

        /** Makes the tables. */
        default void create() {
            try (Target nowhere = new MemoryTarget()) {
                open(nowhere, new Ears(id -> {}, id -> {})).close();
            }
        }
    }
}
