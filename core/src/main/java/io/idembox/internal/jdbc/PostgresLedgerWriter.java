// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Message;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.LedgerMatch;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.RecordingDepth;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Marks on PostgreSQL: arrays in, arrival numbers out. */
final class PostgresLedgerWriter extends JdbcLedgerWriter {

    PostgresLedgerWriter(Sql sql, NameRegistry names, BodyWriter bodyWriter) {
        super(sql, names, bodyWriter);
    }

    @Override
    public InboxStore.Inserted insert(
            JdbcTransaction tx, RegisteredConsumer consumer, List<NewLedgerRow> marks, RecordingDepth depth)
            throws SQLException {
        Connection connection = tx.connection();
        NameRegistry.Used used = names.use(consumer, marks);
        if (marks.size() == 1 && depth == RecordingDepth.MARK) {
            return insertOnly(connection, used, marks.get(0));
        }
        try (PreparedStatement statement = sql.prepare(
                connection,
                switch (depth) {
                    case MARK -> LedgerStatement.INSERT_MARKS;
                    case BODY -> LedgerStatement.INSERT_MARKS_AND_BODIES;
                    case ENTRY -> LedgerStatement.INSERT_STORED;
                })) {
            statement.setString(1, millis(sql.settings().frontDoorWait()));
            int first = 2;
            if (depth != RecordingDepth.ENTRY) {
                statement.setInt(first++, consumer.number());
            }
            if (depth != RecordingDepth.MARK) {
                int next = bindMarksAndBodies(statement, first, marks);
                sql.bindNow(statement, next);
                statement.setInt(next + 1, consumer.number());
                bindKnown(statement, next + 2, used);
            } else {
                sql.bindNow(statement, first);
                statement.setInt(first + 1, consumer.number());
                bindKnown(statement, bindMarks(statement, first + 2, marks), used);
            }
            return new InboxStore.Inserted(recorded(statement, used), Set.of());
        }
    }

    @Override
    void enter(Connection connection, RegisteredConsumer consumer) throws SQLException {
        enter(sql, connection, consumer);
    }

    static void enter(Sql sql, Connection connection, RegisteredConsumer consumer) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LedgerStatement.ENTER)) {
            statement.setInt(1, consumer.number());
            statement.execute();
        }
    }

    private InboxStore.Inserted insertOnly(Connection connection, NameRegistry.Used used, NewLedgerRow row)
            throws SQLException {
        RegisteredConsumer consumer = used.consumer();
        try (PreparedStatement statement = sql.prepare(connection, LedgerStatement.INSERT_ONE_MARK)) {
            statement.setString(1, millis(sql.settings().frontDoorWait()));
            statement.setInt(2, consumer.number());
            statement.setInt(3, row.slot());
            sql.bindNow(statement, 4);
            statement.setObject(5, row.incoming().variant());
            statement.setInt(6, consumer.number());
            statement.setInt(7, names.source(row.id().source()));
            statement.setBytes(8, IdBytes.of(row.id().id()));
            statement.setString(9, consumer.firstName());
            statement.setInt(10, consumer.number());
            statement.setString(11, used.sources().get(0));
            statement.setInt(12, used.numbers().get(0));
            return new InboxStore.Inserted(recorded(statement, used), Set.of());
        }
    }

    /** Binds the parameters of {@link Texts#KNOWN}; returns the index after them. */
    int bindKnown(PreparedStatement statement, int first, NameRegistry.Used used) throws SQLException {
        Connection connection = statement.getConnection();
        statement.setString(first, used.consumer().firstName());
        statement.setInt(first + 1, used.consumer().number());
        statement.setArray(
                first + 2, connection.createArrayOf("text", used.sources().toArray(String[]::new)));
        statement.setArray(
                first + 3, connection.createArrayOf("int4", used.numbers().toArray(Integer[]::new)));
        return first + 4;
    }

    /**
     * Runs a bundle that records, and checks that the database has all names it records under.
     *
     * @throws io.idembox.internal.engine.TransactionFailed FORGOTTEN when one is missing: what it recorded must not be committed
     */
    Set<Long> recorded(PreparedStatement bundle, NameRegistry.Used used) throws SQLException {
        Set<Long> arrivals = new HashSet<>();
        long[] known = new long[1];
        forRows(
                bundle,
                Map.of(
                        "arrival",
                        rows -> {
                            while (rows.next()) {
                                arrivals.add(rows.getLong(1));
                            }
                        },
                        "known",
                        rows -> {
                            rows.next();
                            known[0] = rows.getLong(1);
                        }));
        names.check(used, known[0]);
        return arrivals;
    }

    @Override
    long firstArrival(Connection connection, NameRegistry.Used used) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LedgerStatement.NEXT_ARRIVAL_AND_KNOWN)) {
            bindKnown(statement, 1, used);
            return recorded(statement, used).iterator().next();
        }
    }

    /** Runs a bundle of statements and reads the one result that begins with that column. */
    static void forRowsOf(String column, PreparedStatement bundle, RowReader reader) throws SQLException {
        forRows(bundle, Map.of(column, reader));
    }

    /** Runs a bundle of statements and reads the results that begin with these columns. */
    private static void forRows(PreparedStatement bundle, Map<String, RowReader> readers) throws SQLException {
        boolean isRows = bundle.execute();
        while (isRows || bundle.getUpdateCount() >= 0) {
            if (isRows) {
                try (ResultSet rows = bundle.getResultSet()) {
                    RowReader reader = readers.get(rows.getMetaData().getColumnLabel(1));
                    if (reader != null) {
                        reader.read(rows);
                    }
                }
            }
            isRows = bundle.getMoreResults();
        }
    }

    interface RowReader {
        void read(ResultSet rows) throws SQLException;
    }

    int bindMarksAndBodies(PreparedStatement statement, int first, List<NewLedgerRow> marks) throws SQLException {
        return bindBodies(statement, bindMarks(statement, first, marks), marks);
    }

    private int bindMarks(PreparedStatement statement, int first, List<NewLedgerRow> marks) throws SQLException {
        bindArray(statement, first, "int4", marks, NewLedgerRow::slot, Integer[]::new);
        bindArray(
                statement,
                first + 1,
                "int4",
                marks,
                row -> names.source(row.id().source()),
                Integer[]::new);
        bindArray(
                statement, first + 2, "bytea", marks, row -> IdBytes.of(row.id().id()), byte[][]::new);
        bindArray(statement, first + 3, "uuid", marks, row -> row.incoming().variant(), UUID[]::new);
        return first + 4;
    }

    private static int bindBodies(PreparedStatement statement, int first, List<NewLedgerRow> marks)
            throws SQLException {
        bindBody(statement, first, "int4", marks, m -> m.type().version(), Integer[]::new);
        bindBody(
                statement,
                first + 1,
                "text",
                marks,
                m -> ColumnLimits.text(m.type().name(), 1_000),
                String[]::new);
        bindBody(
                statement,
                first + 2,
                "text",
                marks,
                m -> ColumnLimits.text(m.key().orElse(null), 1_000),
                String[]::new);
        bindBody(statement, first + 3, "bytea", marks, BodyWriter::headersOf, byte[][]::new);
        bindBody(statement, first + 4, "bytea", marks, m -> BodyWriter.payloadOf(m.payload()), byte[][]::new);
        bindBody(statement, first + 5, "text", marks, m -> BodyWriter.contentTypeOf(m.payload()), String[]::new);
        bindBody(statement, first + 6, "timestamptz", marks, PostgresLedgerWriter::timeOf, String[]::new);
        bindBody(
                statement,
                first + 7,
                "text",
                marks,
                m -> ColumnLimits.text(m.position().map(p -> p.channel()).orElse(null), 1_000),
                String[]::new);
        bindBody(
                statement,
                first + 8,
                "int4",
                marks,
                m -> m.position().map(p -> p.partition()).orElse(null),
                Integer[]::new);
        bindBody(
                statement,
                first + 9,
                "int8",
                marks,
                m -> m.position().map(p -> p.offset()).orElse(null),
                Long[]::new);
        bindArray(statement, first + 10, "text", marks, row -> BodyWriter.fullIdOf(row.id()), String[]::new);
        return first + 11;
    }

    private static @Nullable String timeOf(Message message) {
        Instant time = ColumnLimits.time(message.time().orElse(null));
        return time == null ? null : time.toString();
    }

    private static <T> void bindBody(
            PreparedStatement statement,
            int index,
            String type,
            List<NewLedgerRow> marks,
            Function<Message, T> column,
            java.util.function.IntFunction<T[]> array)
            throws SQLException {
        bindArray(
                statement,
                index,
                type,
                marks,
                row -> column.apply(row.incoming().message()),
                array);
    }

    private static <T> void bindArray(
            PreparedStatement statement,
            int index,
            String type,
            List<NewLedgerRow> marks,
            Function<NewLedgerRow, T> column,
            java.util.function.IntFunction<T[]> array)
            throws SQLException {
        T[] values = marks.stream().map(column).toArray(array);
        statement.setArray(index, statement.getConnection().createArrayOf(type, values));
    }

    @Override
    public List<LedgerMatch> find(Connection connection, RegisteredConsumer consumer, List<NewLedgerRow> marks)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LedgerStatement.FIND)) {
            bindArray(statement, 1, "int4", marks, NewLedgerRow::slot, Integer[]::new);
            bindArray(statement, 2, "int4", marks, row -> names.source(row.id().source()), Integer[]::new);
            bindArray(statement, 3, "bytea", marks, row -> IdBytes.of(row.id().id()), byte[][]::new);
            statement.setInt(4, consumer.number());
            List<LedgerMatch> found = new ArrayList<>();
            forRowsOf("slot", statement, rows -> found.addAll(RowMappers.existing(rows)));
            return found;
        }
    }

    @Override
    public boolean withBoundedWait(JdbcTransaction tx, Duration bound, SqlWork work) throws SQLException {
        boolean answered = unlessLocked(tx, () -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), LedgerStatement.BOUND_THE_WAIT)) {
                statement.setString(1, millis(bound));
                statement.execute();
            }
            work.run();
        });
        if (answered) {
            // Not inside: what the work has told its caller must not be rolled back any more.
            try (PreparedStatement statement = sql.prepare(tx.connection(), LedgerStatement.UNBOUND_THE_WAIT)) {
                statement.execute();
            }
        }
        return answered;
    }

    /**
     * False when a wait that the work bounds itself was in vain; then nothing happened. Bounds do not nest. The last statement
     * of the work is the one that waits: once it is through, nothing of it is rolled back here.
     */
    static boolean unlessLocked(JdbcTransaction tx, SqlWork work) throws SQLException {
        tx.execute("savepoint idembox_wait");
        boolean answered = true;
        try {
            work.run();
        } catch (SQLException error) {
            if (!SqlStates.isLockTimeout(error)) {
                throw error;
            }
            answered = false;
            // The rollback takes the bound away as well.
            tx.execute("rollback to savepoint idembox_wait");
        }
        tx.execute("release savepoint idembox_wait");
        return answered;
    }

    private static String millis(Duration wait) {
        return wait.toMillis() + "ms";
    }
}
