// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import java.util.Locale;

/** What the result file says about how it was measured. */
final class OutboxTexts {

    static final String ANSWERS = """
            B is a hand-written consumer: one transaction per message, insert into the table of processed messages on conflict do
            nothing, the effect, insert into an outbox table, commit. We are a consumer in direct mode with batches of 100 whose handler
            does the same update and sends one message to a destination with the account as its key; "later" puts the update off with
            `ctx.later`. Nobody relays meanwhile. After every slice the sum over all accounts was compared with the number of
            messages answered COMPLETED, and that with the number of messages that were sent.
            """;

    private OutboxTexts() {}

    static String relay(int stock) {
        return String.format(Locale.ROOT, """
                A backlog of %,d messages is committed, a hundred in a transaction, and its tables are vacuumed and analysed. Then
                the clock starts with the relay, and stops when the last message is marked. "Memory" is a target that confirms at
                once, so that the database is what is measured; "Kafka" is a topic of four partitions on a broker in a process of
                its own on the same machine, whose CPU is in none of the columns. Every slice is compared only with the slice of
                the peer that ran immediately before it, with the same backlog, pool and number of workers; the peer against
                itself shows how much of a ratio is noise. Tables are emptied before every repetition.

                The peer is transaction-outbox by gruelbox, `com.gruelbox:transactionoutbox-core:%s`, the newest version that
                Maven resolved. For each message it calls a method, in a transaction of its own: lock the row, call, delete the
                row, commit. It is set up as its documentation says: its dialect for PostgreSQL with SKIP LOCKED, its transaction
                manager on the pool, an executor with a bounded queue and as many threads as we have workers, a thread that
                flushes as long as there is something, its defaults for attempts. How many rows a flush takes was tried: the rows
                of the table show it, and everybody is compared with the best. It is not given unique request ids, so it deletes
                what is done and knows no duplicates; with them it would update the row and keep it. This version knows no order
                of keys, so what we do in order is compared with what it does without. Newer versions, which were not to be
                had, know ordered topics and can take several messages of one topic in a transaction; they are not measured.

                We mark each message as published and keep it for a week, in batches of 100; both are the defaults. "No order" is
                `Ordering.NONE` and messages without keys; "keys in order" is the default, `Ordering.HOLD`, with %d keys, and one
                message of a key in flight.

                Into Kafka both have an idempotent producer with acks=all and linger.ms=0 that lives through all slices. The
                peer's method sends a record and waits until it is confirmed; our publisher sends a batch and waits for all.

                After every slice what arrived was compared with what was sent: each id once, with its key and payload; with keys
                in order, those of each key in the order of their commits. And nothing was left in the tables.
                """, stock, GruelboxOffice.version(), Letters.KEYS);
    }

    static String latency(double perSecond, int workers) {
        return String.format(Locale.ROOT, """
                From the return of the commit until the target has confirmed, with %d workers. One thread sends %.0f messages per second, each in a
                transaction of its own, and the relay in the same process is told of each commit: the peer by itself, we with `committed()`.
                Everybody has several turns in shuffled order; the figures are of all turns together. What arrived was checked as above.
                """, workers, perSecond);
    }
}
