// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.keys;

import io.idembox.Message;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * A ledger with one of the possible keys; everything but the key is as in the shipped schema, and so is the statement
 * that records a batch.
 */
final class KeyedTable implements Strategy {

    static final int BATCH = 100;

    private final KeyShape shape;
    private final DataSource dataSource;

    KeyedTable(Arena arena, KeyShape shape) {
        this.shape = shape;
        this.dataSource = arena.dataSource();
        arena.execute("""
                create table %s (
                    arrival     bigint      not null,
                    received_at timestamptz not null,
                    variant     uuid        not null,
                    %s
                )
                """.formatted(shape.table(), shape.columns()));
    }

    KeyShape shape() {
        return shape;
    }

    /** As messages come, in the order of their random ids: the index gets as loose as it does in life. */
    void fill(Arena arena, int rows) {
        arena.execute("""
                insert into %s (arrival, received_at, variant, %s)
                select n, clock_timestamp(), gen_random_uuid(), %s
                  from generate_series(1, %d) n
                """.formatted(shape.table(), shape.names(), shape.values(shape.randomId()), rows));
    }

    double heapBytesPerRow(Arena arena) {
        return perRow(arena, "pg_relation_size");
    }

    double indexBytesPerRow(Arena arena) {
        return perRow(arena, "pg_indexes_size");
    }

    private double perRow(Arena arena, String size) {
        long bytes = arena.ask("select %s('%s')".formatted(size, shape.table()));
        return (double) bytes / arena.ask(effects());
    }

    @Override
    public String name() {
        return shape.label();
    }

    @Override
    public int batchSize() {
        return BATCH;
    }

    @Override
    public String effects() {
        return "select count(*) from " + shape.table();
    }

    @Override
    public Tally consume(Feed feed) throws SQLException {
        List<Message> batch = feed.next(BATCH);
        List<String> ids = new ArrayList<>(batch.size());
        List<UUID> variants = new ArrayList<>(batch.size());
        Set<String> seen = new HashSet<>();
        batch.stream()
                .map(message -> message.id().orElseThrow())
                .filter(seen::add)
                .sorted(Comparator.naturalOrder())
                .forEach(id -> {
                    ids.add(id);
                    variants.add(new UUID(id.hashCode(), 1));
                });
        int inserted = insert(ids, variants);
        return new Tally(inserted, batch.size() - inserted, 0);
    }

    private int insert(List<String> ids, List<UUID> variants) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(insertStatement())) {
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "int4", IntStream.range(0, ids.size()).boxed().toArray()));
            statement.setArray(2, connection.createArrayOf("uuid", variants.toArray()));
            statement.setArray(3, connection.createArrayOf(shape.idType(), shape.encode(ids)));
            try (ResultSet rows = statement.executeQuery()) {
                int inserted = 0;
                while (rows.next()) {
                    inserted++;
                }
                return inserted;
            }
        }
    }

    private String insertStatement() {
        return """
                insert into %s (arrival, received_at, variant, %s)
                select (select nextval('arrival')) * 2048 + m.slot, (select clock_timestamp()), m.variant, %s
                  from unnest(?, ?, ?) as m(slot, variant, id)
                    on conflict do nothing
                returning arrival
                """.formatted(shape.table(), shape.names(), shape.values("m.id"));
    }
}
