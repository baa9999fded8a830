// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.MessageId;
import io.idembox.admin.Attempt;
import io.idembox.admin.Filter;
import io.idembox.admin.KnownMessage;
import io.idembox.admin.Page;
import io.idembox.admin.PastOperation;
import io.idembox.admin.Status;
import io.idembox.internal.admin.AdminStore;
import io.idembox.internal.admin.Remembered;
import io.idembox.internal.admin.Turn;
import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.EntryState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks at the tables for people. Thread-safe. */
final class JdbcAdminStore implements AdminStore {

    private final JdbcInboxStore store;
    private final Sql sql;

    JdbcAdminStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public List<String> consumers() {
        return list(AdminStatement.FIND_CONSUMERS, "name", binder -> {}, row -> row.getString(1));
    }

    @Override
    public Optional<KnownMessage> find(Consumer consumer, MessageId id) {
        return list(
                        AdminStatement.FIND_MESSAGE,
                        "arrival",
                        binder -> binder.number(consumer.number())
                                .text(id.source())
                                .bytes(IdBytes.of(id.id())),
                        row -> AdminRows.message(row, consumer.name()))
                .stream()
                .findFirst();
    }

    @Override
    public List<KnownMessage> look(Consumer consumer, Filter filter, Page page) {
        List<Long> arrivals = arrivals(consumer, filter);
        return list(
                AdminStatement.LOOK,
                "arrival",
                binder -> bind(binder, consumer, filter, arrivals, page.after())
                        .number(page.size())
                        .number(page.size()),
                row -> AdminRows.message(row, consumer.name()));
    }

    @Override
    public int count(Consumer consumer, Filter filter, int atMost) {
        List<Long> arrivals = arrivals(consumer, filter);
        return list(
                        AdminStatement.COUNT,
                        "matching",
                        binder -> bind(binder, consumer, filter, arrivals, 0)
                                .number(atMost)
                                .number(atMost),
                        row -> row.getInt(1))
                .get(0);
    }

    /** The messages under the id that is asked for; none when no id is. */
    private List<Long> arrivals(Consumer consumer, Filter filter) {
        MessageId id = filter.id();
        if (id == null) {
            return List.of();
        }
        byte[] bytes = IdBytes.of(id.id());
        return list(
                AdminStatement.FIND_ARRIVALS,
                "arrival",
                binder -> binder.text(id.source())
                        .number(consumer.number())
                        .bytes(bytes)
                        .text(id.source())
                        .number(consumer.number())
                        .bytes(bytes),
                row -> row.getLong(1));
    }

    private static Binder bind(Binder binder, Consumer consumer, Filter filter, List<Long> arrivals, long after)
            throws SQLException {
        return binder.texts(statesBehind(filter.statuses()).stream()
                        .map(EntryState::name)
                        .toList())
                .number(consumer.number())
                .number(after)
                .flag(filter.id() == null)
                .numbers(arrivals)
                .text(filter.key())
                .text(filter.key())
                .text(filter.errorClass())
                .text(filter.errorClass())
                .instant(filter.receivedAfter())
                .instant(filter.receivedAfter())
                .instant(filter.receivedBefore())
                .instant(filter.receivedBefore())
                .texts(filter.statuses().stream().map(Status::name).toList());
    }

    /** Where an entry may be that shows such a status: what is worked on keeps its state. */
    private static Set<EntryState> statesBehind(Set<Status> statuses) {
        Set<EntryState> states = EnumSet.noneOf(EntryState.class);
        for (Status status : statuses) {
            if (status == Status.IN_PROGRESS) {
                states.add(EntryState.RECEIVED);
                states.add(EntryState.FAILED_RETRYABLE);
            } else {
                states.add(EntryState.valueOf(status.name()));
            }
        }
        return states;
    }

    @Override
    public List<Attempt> attempts(long arrival, int atMost) {
        return oldestFirst(list(
                AdminStatement.FIND_ATTEMPTS,
                "number",
                binder -> binder.number(arrival).number(atMost),
                AdminRows::attempt));
    }

    @Override
    public List<PastOperation> operations(Consumer consumer, long arrival, int atMost) {
        return oldestFirst(list(
                AdminStatement.FIND_OPERATIONS,
                "operation_id",
                binder -> binder.number(consumer.number()).number(arrival).number(atMost),
                row -> {
                    Remembered done = AdminRows.operation(row);
                    return new PastOperation(
                            done.command(),
                            done.operation(),
                            done.at(),
                            Objects.requireNonNull(done.verdicts().get(arrival)));
                }));
    }

    @Override
    public Turn turn(Consumer consumer, long arrival) {
        return list(
                        AdminStatement.FIND_TURN,
                        "key_id",
                        binder -> binder.number(consumer.number()).number(arrival),
                        row -> new Queued(
                                row.getLong("key_id"),
                                Rows.numberOrNull(row, "place"),
                                Rows.numberOrNull(row, "reached")))
                .stream()
                .findFirst()
                .map(queued -> new Turn(queued.place(), queued.reached(), ahead(consumer, arrival, queued)))
                .orElse(Turn.NONE);
    }

    private record Queued(
            long key, @Nullable Long place, @Nullable Long reached) {}

    private @Nullable KnownMessage ahead(Consumer consumer, long arrival, Queued queued) {
        return list(
                        AdminStatement.FIND_AHEAD,
                        "arrival",
                        binder -> binder.number(consumer.number())
                                .number(queued.key())
                                .number(arrival)
                                .texts(JdbcKeyStore.blocking(consumer))
                                .numberOrNull(queued.place())
                                .numberOrNull(queued.place())
                                .number(arrival),
                        row -> AdminRows.message(row, consumer.name()))
                .stream()
                .findFirst()
                .orElse(null);
    }

    private static <T> List<T> oldestFirst(List<T> newestFirst) {
        Collections.reverse(newestFirst);
        return newestFirst;
    }

    private interface Binding {
        void to(Binder binder) throws SQLException;
    }

    private interface RowOf<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** @param first the first column of the rows; PostgreSQL answers settings that come before as well */
    private <T> List<T> list(AdminStatement query, String first, Binding binding, RowOf<T> row) {
        return store.inTransaction("look for messages", tx -> {
            List<T> all = new ArrayList<>();
            try (PreparedStatement statement = sql.prepare(tx.connection(), query)) {
                binding.to(new Binder(sql, statement));
                switch (sql.database()) {
                    case POSTGRESQL -> PostgresMarks.forRowsOf(first, statement, rows -> addAll(rows, row, all));
                    case H2 -> {
                        try (ResultSet rows = statement.executeQuery()) {
                            addAll(rows, row, all);
                        }
                    }
                }
            }
            return all;
        });
    }

    private static <T> void addAll(ResultSet rows, RowOf<T> row, List<T> all) throws SQLException {
        while (rows.next()) {
            all.add(row.read(rows));
        }
    }
}
