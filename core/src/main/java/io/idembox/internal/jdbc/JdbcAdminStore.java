// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.MessageId;
import io.idembox.StoreUnavailableException;
import io.idembox.admin.Attempt;
import io.idembox.admin.FailureGroup;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.OperationRecord;
import io.idembox.admin.Page;
import io.idembox.admin.Status;
import io.idembox.admin.StoredPayload;
import io.idembox.internal.admin.AdminStore;
import io.idembox.internal.admin.KeyPosition;
import io.idembox.internal.admin.RecordedOperation;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SqlStates;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks at the tables for people. Thread-safe. */
final class JdbcAdminStore implements AdminStore {

    /** PostgreSQL: a statement was cancelled, by its timeout or by somebody. */
    private static final String CANCELLED = "57014";

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
    public Optional<InboxMessage> find(RegisteredConsumer consumer, MessageId id) {
        return list(
                        AdminStatement.FIND_MESSAGE,
                        "arrival",
                        binder -> binder.number(consumer.number())
                                .text(id.source())
                                .number(NameRegistry.missing(id.source()))
                                .bytes(IdBytes.of(id.id())),
                        row -> AdminRowMappers.message(row, consumer.name(), id))
                .stream()
                .findFirst();
    }

    @Override
    public Optional<StoredPayload> payload(long arrival, @Nullable Integer revision) {
        Long wanted = revision == null ? null : revision.longValue();
        return list(
                        AdminStatement.FIND_PAYLOAD,
                        "revision",
                        binder -> binder.number(arrival).numberOrNull(wanted).numberOrNull(wanted),
                        AdminRowMappers::payload)
                .stream()
                .findFirst();
    }

    @Override
    public List<InboxMessage> findPage(RegisteredConsumer consumer, Filter filter, Page page) {
        Asked asked = asked(consumer, filter, new Span(page.after(), page.size()));
        return list(
                text(asked, AdminStatement.LOOK, AdminStatement.LOOK_KEY),
                "arrival",
                binder -> bind(binder, asked),
                row -> AdminRowMappers.message(row, consumer.name()));
    }

    @Override
    public int count(RegisteredConsumer consumer, Filter filter, int atMost) {
        Asked asked = asked(consumer, filter, new Span(0, atMost));
        return list(
                        text(asked, AdminStatement.COUNT, AdminStatement.COUNT_KEY),
                        "matching",
                        binder -> bind(binder, asked),
                        row -> row.getInt(1))
                .get(0);
    }

    @Override
    public List<FailureGroup> groups(RegisteredConsumer consumer, Filter filter, int atMost) {
        Asked asked = asked(consumer, filter, new Span(0, atMost));
        return list(
                asked.tests().in(sql.text(AdminStatement.FIND_GROUPS), sql.database()),
                "arrival",
                binder -> {
                    binder.texts(ownStates(filter)).flag(filter.statuses().contains(Status.IN_PROGRESS));
                    matchingAll(binder, asked);
                    binder.number(consumer.number()).number(atMost);
                },
                row -> AdminRowMappers.group(row, consumer.name()));
    }

    @Override
    public Waiting waiting(RegisteredConsumer consumer, int atMost) {
        return list(
                        AdminStatement.FIND_WAITING,
                        "waiting",
                        binder -> {
                            for (int states = 0; states < 3; states++) {
                                binder.number(consumer.number()).number(atMost);
                            }
                            binder.number(consumer.number());
                        },
                        row -> new Waiting(
                                row.getInt("waiting"),
                                Timestamps.read(row, "oldest_at").orElse(null)))
                .get(0);
    }

    private String text(Asked asked, AdminStatement query, AdminStatement ofKey) {
        return asked.tests().in(sql.text(asked.hasKey() ? ofKey : query), sql.database());
    }

    private Asked asked(RegisteredConsumer consumer, Filter filter, Span span) {
        return new Asked(
                consumer.number(),
                filter,
                arrivals(consumer, filter.contentFilter()),
                FilterPredicates.of(filter),
                span);
    }

    /**
     * A page that somebody asks for.
     *
     * @param arrivals the messages under the id that is asked for; none when no id is
     */
    private record Asked(int consumer, Filter filter, List<Long> arrivals, FilterPredicates tests, Span span) {

        boolean hasKey() {
            return filter.contentFilter().key() != null;
        }
    }

    /** From where, and how many. */
    private record Span(long after, int size) {}

    private List<Long> arrivals(RegisteredConsumer consumer, Filter.ContentFilter contentFilter) {
        String id = contentFilter.id();
        if (id == null) {
            return List.of();
        }
        String source = contentFilter.source();
        return source == null ? arrivals(consumer, id) : arrivals(consumer, new MessageId(source, id));
    }

    private List<Long> arrivals(RegisteredConsumer consumer, MessageId id) {
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

    private List<Long> arrivals(RegisteredConsumer consumer, String id) {
        byte[] bytes = IdBytes.of(id);
        return list(
                AdminStatement.FIND_ARRIVALS_ANYWHERE,
                "arrival",
                binder -> binder.number(consumer.number())
                        .bytes(bytes)
                        .number(consumer.number())
                        .bytes(bytes),
                row -> row.getLong(1));
    }

    private void bind(Binder binder, Asked asked) throws SQLException {
        boolean leased = asked.filter().statuses().contains(Status.IN_PROGRESS);
        switch (sql.database()) {
            case POSTGRESQL -> {
                binder.texts(ownStates(asked.filter()));
                if (asked.hasKey()) {
                    binder.number(asked.consumer())
                            .text(asked.filter().contentFilter().key());
                }
                matching(binder, asked);
                binder.flag(leased).number(asked.consumer());
                matching(binder, asked);
            }
            case H2 -> {
                binder.texts(ownStates(asked.filter())).flag(leased);
                matching(binder, asked);
            }
        }
        binder.number(asked.span().size());
    }

    private static void matching(Binder binder, Asked asked) throws SQLException {
        matchingAll(binder, asked);
        binder.number(asked.span().size());
    }

    private static void matchingAll(Binder binder, Asked asked) throws SQLException {
        binder.number(asked.consumer())
                .number(asked.span().after())
                .flag(asked.filter().contentFilter().id() == null)
                .numbers(asked.arrivals());
        asked.tests().bind(binder);
    }

    /** What is worked on keeps its state, and is looked for by its lease. */
    private static List<String> ownStates(Filter filter) {
        return filter.statuses().stream()
                .filter(status -> status != Status.IN_PROGRESS)
                .map(Status::name)
                .toList();
    }

    @Override
    public List<Attempt> attempts(long arrival, int atMost) {
        return oldestFirst(list(
                AdminStatement.FIND_ATTEMPTS,
                "number",
                binder -> binder.number(arrival).number(atMost),
                AdminRowMappers::attempt));
    }

    @Override
    public List<OperationRecord> operations(RegisteredConsumer consumer, long arrival, int atMost) {
        return oldestFirst(list(
                AdminStatement.FIND_OPERATIONS,
                "operation_id",
                binder -> binder.number(consumer.number()).number(arrival).number(atMost),
                row -> {
                    RecordedOperation done = AdminRowMappers.operation(row);
                    return new OperationRecord(done.command(), done.operation(), done.at(), done.resultOf(arrival));
                }));
    }

    @Override
    public KeyPosition keyPosition(RegisteredConsumer consumer, long arrival) {
        return queued(consumer, arrival)
                .map(queued -> turn(consumer, arrival, queued))
                .orElse(KeyPosition.NONE);
    }

    private KeyPosition turn(RegisteredConsumer consumer, long arrival, Queued queued) {
        KeyPosition itself = queued.keyPosition();
        if (itself.hold() != null || queued.key() == null) {
            return itself;
        }
        InboxMessage ahead = ahead(consumer, arrival, queued.key(), itself.sequenceNumber());
        KeyPosition.Hold hold = ahead == null
                ? null
                : queued(consumer, ahead.arrival())
                        .map(first -> first.keyPosition().hold())
                        .orElse(null);
        return new KeyPosition(itself.sequenceNumber(), itself.reached(), itself.generation(), ahead, hold);
    }

    /** @param keyPosition without whom it waits for */
    private record Queued(@Nullable Long key, KeyPosition keyPosition) {}

    private Optional<Queued> queued(RegisteredConsumer consumer, long arrival) {
        return list(
                        AdminStatement.FIND_TURN,
                        "key_id",
                        binder -> binder.number(consumer.number()).number(arrival),
                        row -> new Queued(RowMappers.numberOrNull(row, "key_id"), AdminRowMappers.turn(row)))
                .stream()
                .findFirst();
    }

    private @Nullable InboxMessage ahead(
            RegisteredConsumer consumer, long arrival, long key, @Nullable Long sequenceNumber) {
        return list(
                        AdminStatement.FIND_AHEAD,
                        "arrival",
                        binder -> binder.number(consumer.number())
                                .number(key)
                                .number(arrival)
                                .texts(JdbcKeyStore.blocking(consumer))
                                .numberOrNull(sequenceNumber)
                                .numberOrNull(sequenceNumber)
                                .number(arrival),
                        row -> AdminRowMappers.message(row, consumer.name()))
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

    private <T> List<T> list(AdminStatement query, String first, Binding binding, RowOf<T> row) {
        return list(sql.text(query), first, binding, row);
    }

    /** @param first the first column of the rows; PostgreSQL answers settings that come before as well */
    private <T> List<T> list(String query, String first, Binding binding, RowOf<T> row) {
        try {
            return answered(query, first, binding, row);
        } catch (StoreUnavailableException unavailable) {
            SQLException cause = SqlStates.sqlCause(unavailable);
            if (cause == null || !SqlStates.stateOf(cause).equals(CANCELLED)) {
                throw unavailable;
            }
            throw new StoreUnavailableException(
                    "The database did not find an answer within " + AdminTexts.PATIENCE.toSeconds()
                            + " s, and the look was given up. Nothing was changed. Look for less: one id, fewer"
                            + " statuses, or the key of an ordered consumer; whatever else is asked for is compared"
                            + " message by message.",
                    unavailable);
        }
    }

    private <T> List<T> answered(String query, String first, Binding binding, RowOf<T> row) {
        return store.inTransaction("look for messages", tx -> {
            List<T> all = new ArrayList<>();
            try (PreparedStatement statement = Sql.prepare(tx.connection(), query)) {
                binding.to(new Binder(sql, statement));
                switch (sql.database()) {
                    case POSTGRESQL -> PostgresLedgerWriter.forRowsOf(first, statement, rows -> addAll(rows, row, all));
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
