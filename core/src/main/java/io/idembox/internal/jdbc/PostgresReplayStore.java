// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Message;
import io.idembox.admin.ReplayRange;
import io.idembox.internal.admin.ReplayStore;
import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.policy.Ordering;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Replays on PostgreSQL. Thread-safe. */
final class PostgresReplayStore implements ReplayStore {

    /** How long whoever begins waits for handlers that run; deliveries are answered BUSY meanwhile. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final int PAGE = 1_000;

    private final JdbcInboxStore store;
    private final Sql sql;

    PostgresReplayStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    private interface Binding {
        void to(Binder binder) throws SQLException;
    }

    /** Messages of the range: those with a mark, and conflicts. */
    private static Binder match(Binder binder, RegisteredConsumer consumer, ReplayRange range) throws SQLException {
        return inRange(inRange(binder, consumer, range), consumer, range);
    }

    private static Binder inRange(Binder binder, RegisteredConsumer consumer, ReplayRange range) throws SQLException {
        return binder.number(consumer.number())
                .instant(range.from())
                .instant(range.to())
                .text(range.type())
                .text(range.key());
    }

    @Override
    public Contents count(RegisteredConsumer consumer, ReplayRange range) {
        return store.inTransaction("count what would be replayed", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), ReplayStatement.COUNT_REPLAY)) {
                match(new Binder(sql, statement), consumer, range);
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    return new Contents(
                            rows.getInt("would_run"),
                            rows.getInt("unfinished"),
                            rows.getInt("without_body"),
                            rows.getInt("skipped"),
                            rows.getInt("effects"));
                }
            }
        });
    }

    @Override
    public void lockConsumer(Transaction tx, RegisteredConsumer consumer) {
        waitFor(
                tx,
                "somebody has been handling a delivery",
                ReplayStatement.CLOSE_DOOR,
                binder -> binder.number(consumer.number()));
        // What prepares the replay waits no longer than that for whoever has its tables, and cannot settle any more.
        store.during(tx, "bound waits", connection -> {
            execute(connection, ReplayStatement.BOUND_WAITS, binder -> binder.text(PATIENCE.toMillis() + "ms"));
            return true;
        });
    }

    /** @param inTheWay who may be in the way */
    private void waitFor(Transaction tx, String inTheWay, ReplayStatement statement, Binding binding) {
        within(
                tx,
                PATIENCE,
                inTheWay + " for more than " + PATIENCE.toSeconds() + " seconds",
                connection -> execute(connection, statement, binding));
    }

    private interface Waiting {
        void on(Connection connection) throws SQLException;
    }

    private void within(Transaction tx, Duration bound, String inTheWay, Waiting work) {
        boolean answered = store.during(
                tx,
                "wait for whoever is at work",
                connection -> store.withBoundedWait(tx, bound, () -> work.on(connection)));
        if (!answered) {
            throw TransactionFailed.busy(inTheWay, null);
        }
    }

    private void execute(Connection connection, ReplayStatement wanted, Binding binding) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, wanted)) {
            binding.to(new Binder(sql, statement));
            statement.execute();
        }
    }

    private int update(Transaction tx, String what, ReplayStatement wanted, Binding binding) {
        return store.during(tx, what, connection -> {
            try (PreparedStatement statement = sql.prepare(connection, wanted)) {
                binding.to(new Binder(sql, statement));
                return statement.executeUpdate();
            }
        });
    }

    @Override
    public int countAwaitingRedelivery(Transaction tx, RegisteredConsumer consumer) {
        return number(tx, ReplayStatement.COUNT_AWAITED, binder -> binder.number(consumer.number()));
    }

    private int number(Transaction tx, ReplayStatement wanted, Binding binding) {
        return store.during(tx, "look at a consumer", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, wanted)) {
                binding.to(new Binder(sql, statement));
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    return rows.getInt(1);
                }
            }
        });
    }

    @Override
    public void lockKeys(Transaction tx, RegisteredConsumer consumer, ReplayRange range) {
        if (isOrdered(consumer)) {
            waitFor(
                    tx,
                    "somebody has had a key of a message that is to come back",
                    ReplayStatement.LOCK_REPLAYED_KEYS,
                    binder -> match(binder.number(consumer.number()), consumer, range)
                            .number(consumer.number()));
        }
    }

    private static boolean isOrdered(RegisteredConsumer consumer) {
        return consumer.policy().ordering() != Ordering.NONE;
    }

    @Override
    public void takeLeases(Transaction tx, RegisteredConsumer consumer) {
        update(tx, "take leases away", ReplayStatement.TAKE_LEASES, binder -> binder.number(consumer.number()));
    }

    @Override
    public int countLeftOut(Transaction tx, RegisteredConsumer consumer, ReplayRange range) {
        return number(tx, ReplayStatement.COUNT_LEFT_OUT, binder -> inRange(binder, consumer, range));
    }

    @Override
    public int nextGeneration(Transaction tx, RegisteredConsumer consumer, ReplayRange range) {
        int generation = number(
                tx,
                ReplayStatement.NEXT_GENERATION,
                binder -> binder.number(consumer.number())
                        .number(consumer.number())
                        .number(consumer.number()));
        update(tx, "end replays", ReplayStatement.WITHDRAW_EARLIER, binder -> inRange(binder, consumer, range));
        update(
                tx,
                "end replays",
                ReplayStatement.CANCEL_EARLIER,
                binder -> binder.now().number(consumer.number()));
        deleteSequencePositions(tx, consumer, generation);
        return generation;
    }

    @Override
    public int reopen(Transaction tx, RegisteredConsumer consumer, ReplayRange range, int generation) {
        return update(
                tx,
                "bring messages back",
                ReplayStatement.BRING_BACK,
                binder -> match(binder.number(generation).flag(isOrdered(consumer)), consumer, range));
    }

    @Override
    public void assignSequenceNumbers(
            Transaction tx,
            RegisteredConsumer consumer,
            int generation,
            Function<Message, @Nullable Long> sequenceNumbers) {
        long after = 0;
        List<ClaimedMessage> page = read(tx, consumer, generation, after);
        while (!page.isEmpty()) {
            List<Long> arrivals = new ArrayList<>();
            List<Long> found = new ArrayList<>();
            for (ClaimedMessage each : page) {
                Long sequenceNumber = sequenceNumbers.apply(each.message());
                if (sequenceNumber != null && each.key() != null) {
                    arrivals.add(each.arrival());
                    found.add(sequenceNumber);
                }
            }
            update(
                    tx,
                    "place messages",
                    ReplayStatement.PLACE_REPLAYED,
                    binder -> binder.numbers(arrivals)
                            .numbers(found)
                            .number(consumer.number())
                            .number(generation));
            after = page.get(page.size() - 1).arrival();
            page = read(tx, consumer, generation, after);
        }
    }

    private List<ClaimedMessage> read(Transaction tx, RegisteredConsumer consumer, int generation, long after) {
        return store.during(tx, "read messages", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, ReplayStatement.READ_REPLAYED)) {
                new Binder(sql, statement)
                        .number(consumer.number())
                        .number(generation)
                        .number(after)
                        .number(PAGE);
                try (ResultSet rows = statement.executeQuery()) {
                    return JdbcLeaseStore.members(rows);
                }
            }
        });
    }

    @Override
    public void queueAhead(Transaction tx, RegisteredConsumer consumer, int generation, ReplayRange range) {
        update(
                tx,
                "put messages in front",
                ReplayStatement.PUT_BEHIND,
                binder -> binder.number(consumer.number()).number(generation));
        update(tx, "forget steps", ReplayStatement.REPEAT_STEPS, binder -> inRange(binder, consumer, range));
    }

    @Override
    public void recordStart(Transaction tx, String campaign, int generation, int total, long steps) {
        update(
                tx,
                "begin a replay",
                ReplayStatement.BEGIN_REPLAY,
                binder -> binder.number(generation).number(total).number(steps).text(campaign));
    }

    @Override
    public List<Long> held(RegisteredConsumer consumer, int generation, int atMost) {
        return store.inTransaction("look what is held", tx -> {
            List<Long> held = new ArrayList<>();
            try (PreparedStatement statement = sql.prepare(tx.connection(), ReplayStatement.FIND_HELD)) {
                new Binder(sql, statement)
                        .number(consumer.number())
                        .number(generation)
                        .number(atMost);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        held.add(rows.getLong("arrival"));
                    }
                }
            }
            return held;
        });
    }

    @Override
    public Released release(Transaction tx, RegisteredConsumer consumer, int generation, List<Long> arrivals) {
        return let(
                tx,
                sql.settings().frontDoorWait(),
                ReplayStatement.LET_GO,
                binder -> binder.number(consumer.number()).numbers(arrivals).number(generation));
    }

    @Override
    public Released withdraw(Transaction tx, RegisteredConsumer consumer, int generation) {
        // Longer than a step that meets us: it has messages and waits for its campaign, which we have.
        return let(
                tx,
                PATIENCE,
                ReplayStatement.WITHDRAW_HELD,
                binder -> binder.number(consumer.number()).number(generation));
    }

    private Released let(Transaction tx, Duration bound, ReplayStatement wanted, Binding binding) {
        Released released = new Released(new HashSet<>(), new HashSet<>());
        within(tx, bound, "somebody has messages of the replay", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, wanted)) {
                binding.to(new Binder(sql, statement));
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        released.arrivals().add(rows.getLong("arrival"));
                        Long key = RowMappers.numberOrNull(rows, "key_id");
                        if (key != null) {
                            released.keys().add(key);
                        }
                    }
                }
            }
        });
        return released;
    }

    @Override
    public int countReleasedUnfinished(RegisteredConsumer consumer, int generation) {
        return store.inTransaction("look what is left", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), ReplayStatement.COUNT_LEFT)) {
                new Binder(sql, statement).number(consumer.number()).number(generation);
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    return rows.getInt("unfinished");
                }
            }
        });
    }

    @Override
    public void deleteSequencePositions(Transaction tx, RegisteredConsumer consumer, int generation) {
        update(
                tx,
                "end a replay",
                ReplayStatement.FORGET_POSITIONS,
                binder -> binder.number(consumer.number()).number(generation));
    }
}
