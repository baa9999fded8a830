// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.admin.ReplayRange;
import io.idembox.internal.admin.CampaignRow;
import io.idembox.internal.admin.CampaignStore;
import io.idembox.internal.admin.MessageVersion;
import io.idembox.internal.admin.StepOutcomeCounts;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Campaigns on a JDBC database. Thread-safe. */
final class JdbcCampaignStore implements CampaignStore {

    private final JdbcInboxStore store;
    private final Sql sql;

    JdbcCampaignStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public boolean plan(RegisteredConsumer consumer, CampaignRow campaign, List<Step> steps) {
        return store.inTransaction("keep a plan", tx -> {
            boolean first = insert(tx.connection(), consumer, campaign);
            if (first) {
                insertSteps(tx.connection(), campaign.operation().id(), steps);
            }
            return first;
        });
    }

    private boolean insert(Connection connection, RegisteredConsumer consumer, CampaignRow campaign)
            throws SQLException {
        Operation operation = campaign.operation();
        CampaignOptions options = campaign.options();
        try (PreparedStatement statement = sql.prepare(connection, CampaignStatement.INSERT_CAMPAIGN)) {
            Binder binder = new Binder(sql, statement);
            binder.text(operation.id())
                    .text(campaign.command().name())
                    .number(consumer.number())
                    .text(operation.by())
                    .text(operation.role())
                    .text(operation.reason())
                    .text(operation.filter())
                    .number(options.canary())
                    .number(options.perSecond())
                    .share(options.stopAbove())
                    .number(campaign.counts().total())
                    .number(campaign.steps())
                    .now()
                    .now()
                    .now();
            ReplayRange range = campaign.replay().range();
            binder.instant(range == null ? null : range.from())
                    .instant(range == null ? null : range.to())
                    .text(range == null ? null : range.type())
                    .text(range == null ? null : range.key());
            return statement.executeUpdate() == 1;
        } catch (SQLException error) {
            // On H2 a duplicate is a violated key, which undoes nothing but its own statement.
            if (LedgerWriter.isDuplicate(error)) {
                return false;
            }
            throw error;
        }
    }

    private void insertSteps(Connection connection, String id, List<Step> steps) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, CampaignStatement.INSERT_CAMPAIGN_STEP)) {
            for (int number = 0; number < steps.size(); number++) {
                List<MessageVersion> messageVersion = steps.get(number).messageVersion();
                new Binder(sql, statement)
                        .text(id)
                        .number((long) number)
                        .numbers(messageVersion.stream()
                                .map(MessageVersion::arrival)
                                .toList())
                        .texts(messageVersion.stream()
                                .map(MessageVersion::version)
                                .toList());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    @Override
    public Optional<CampaignRow> find(String id) {
        return read(CampaignStatement.FIND_CAMPAIGN, binder -> binder.now().text(id)).stream()
                .findFirst();
    }

    @Override
    public List<CampaignRow> latest(int atMost) {
        return read(CampaignStatement.FIND_CAMPAIGNS, binder -> binder.now().number(atMost));
    }

    @Override
    public List<CampaignRow> running() {
        return read(CampaignStatement.FIND_RUNNING_CAMPAIGNS, Binder::now);
    }

    private interface Binding {
        void to(Binder binder) throws SQLException;
    }

    private List<CampaignRow> read(CampaignStatement query, Binding binding) {
        return store.inTransaction("look for campaigns", tx -> {
            List<CampaignRow> found = new ArrayList<>();
            try (PreparedStatement statement = sql.prepare(tx.connection(), query)) {
                binding.to(new Binder(sql, statement));
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        found.add(campaign(rows));
                    }
                }
            }
            return found;
        });
    }

    private static CampaignRow campaign(ResultSet row) throws SQLException {
        return new CampaignRow(
                Command.valueOf(row.getString("kind")),
                row.getString("consumer"),
                new Operation(
                        row.getString("campaign_id"),
                        row.getString("by_whom"),
                        row.getString("role"),
                        row.getString("reason"),
                        row.getString("filter")),
                new CampaignOptions(row.getInt("canary"), row.getInt("per_second"), row.getDouble("stop_above")),
                Campaign.State.valueOf(row.getString("state")),
                new CampaignRow.Counts(row.getInt("total"), row.getInt("given"), row.getInt("done")),
                row.getLong("steps"),
                row.getLong("position"),
                row.getLong("since"),
                dueIn(row),
                new CampaignRow.Times(
                        Timestamps.read(row, "planned_at").orElseThrow(),
                        Timestamps.read(row, "changed_at").orElseThrow()),
                row.getString("note"),
                replay(row));
    }

    private static Duration dueIn(ResultSet row) throws SQLException {
        Duration until = Duration.between(
                Timestamps.read(row, "seen_at").orElseThrow(),
                Timestamps.read(row, "next_at").orElseThrow());
        return until.isNegative() ? Duration.ZERO : until;
    }

    private static CampaignRow.Replay replay(ResultSet row) throws SQLException {
        if (Command.valueOf(row.getString("kind")) != Command.REPLAY) {
            return CampaignRow.Replay.NONE;
        }
        int generation = row.getInt("generation");
        return new CampaignRow.Replay(
                new ReplayRange(
                        row.getString("consumer"),
                        Timestamps.read(row, "replay_from").orElse(null),
                        Timestamps.read(row, "replay_to").orElse(null),
                        row.getString("replay_type"),
                        row.getString("replay_key")),
                generation);
    }

    @Override
    public Optional<Step> step(String id, long number) {
        return store.inTransaction("look for a step", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), CampaignStatement.FIND_CAMPAIGN_STEP)) {
                new Binder(sql, statement).text(id).number(number);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(step(rows)) : Optional.empty();
                }
            }
        });
    }

    private static Step step(ResultSet row) throws SQLException {
        List<Long> arrivals = AdminRowMappers.numbers(row, "arrivals");
        Object[] versions = (Object[]) row.getArray("versions").getArray();
        List<MessageVersion> messageVersion = new ArrayList<>();
        for (int i = 0; i < arrivals.size(); i++) {
            messageVersion.add(new MessageVersion(arrivals.get(i), (String) versions[i]));
        }
        return new Step(messageVersion);
    }

    @Override
    public boolean advance(Transaction tx, CampaignRow campaign, Move move) {
        return changes(tx, "take a campaign on", connection -> advance(connection, campaign, move));
    }

    private boolean advance(Connection connection, CampaignRow campaign, Move move) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, CampaignStatement.ADVANCE_CAMPAIGN)) {
            new Binder(sql, statement)
                    .number(move.to())
                    .number(move.given())
                    .number(move.done())
                    .due(move.pause())
                    .now()
                    .text(campaign.operation().id())
                    .number(campaign.position());
            return statement.executeUpdate() == 1;
        }
    }

    @Override
    public boolean start(Transaction tx, String id, List<Campaign.State> from, Operation by) {
        return changes(tx, "let a campaign run", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, CampaignStatement.START_CAMPAIGN)) {
                new Binder(sql, statement)
                        .text(by.by())
                        .text(by.role())
                        .text(by.reason())
                        .now()
                        .text(id)
                        .texts(from.stream().map(Campaign.State::name).toList());
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public boolean change(Transaction tx, String id, List<Campaign.State> from, Campaign.State to, String note) {
        return change(tx, new Change(id, from, null, to, note));
    }

    @Override
    public boolean stop(Transaction tx, CampaignRow campaign, String note) {
        String id = campaign.operation().id();
        return change(
                tx, new Change(id, List.of(Campaign.State.RUNNING), campaign.since(), Campaign.State.STOPPED, note));
    }

    /** @param since how many steps were done when somebody last let it run; null for any number */
    private record Change(
            String id, List<Campaign.State> from, @Nullable Long since, Campaign.State to, String note) {}

    private boolean change(Transaction tx, Change change) {
        return changes(tx, "change a campaign", connection -> change(connection, change));
    }

    private interface Changing {
        boolean on(Connection connection) throws SQLException;
    }

    /** Whether it changed a campaign; somebody who has its row is waited for, but not for long. */
    private boolean changes(Transaction tx, String what, Changing changing) {
        boolean[] changed = new boolean[1];
        boolean answered = store.during(
                tx, what, connection -> store.withBoundedWait(tx, () -> changed[0] = changing.on(connection)));
        if (!answered) {
            throw new TransactionFailed(TransactionFailed.Kind.BUSY, null);
        }
        return changed[0];
    }

    private boolean change(Connection connection, Change change) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, CampaignStatement.CHANGE_CAMPAIGN)) {
            new Binder(sql, statement)
                    .text(change.to().name())
                    .text(change.note().isEmpty() ? null : ColumnLimits.text(change.note(), 2_000))
                    .now()
                    .text(change.id())
                    .texts(change.from().stream().map(Campaign.State::name).toList())
                    .numberOrNull(change.since());
            return statement.executeUpdate() == 1;
        }
    }

    @Override
    public int generation(Transaction tx, String id) {
        return store.during(tx, "look at a campaign", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, CampaignStatement.FIND_GENERATION)) {
                new Binder(sql, statement).text(id);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? rows.getInt("generation") : 0;
                }
            }
        });
    }

    @Override
    public List<Long> changed(List<String> operations) {
        return store.inTransaction("look what steps did", tx -> {
            List<Long> changed = new ArrayList<>();
            try (PreparedStatement statement = sql.prepare(tx.connection(), CampaignStatement.FIND_STEPS_DONE)) {
                new Binder(sql, statement).texts(operations);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        changed.addAll(AdminRowMappers.operation(rows).changed());
                    }
                }
            }
            return changed;
        });
    }

    @Override
    public StepOutcomeCounts countOutcomes(RegisteredConsumer consumer, List<Long> arrivals) {
        return store.inTransaction("look what became of messages", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), CampaignStatement.JUDGE)) {
                new Binder(sql, statement).number(consumer.number()).numbers(arrivals);
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    return new StepOutcomeCounts(
                            arrivals.size() - rows.getInt("unfinished"),
                            rows.getInt("failed"),
                            rows.getInt("open"),
                            rows.getInt("waiting"));
                }
            }
        });
    }
}
