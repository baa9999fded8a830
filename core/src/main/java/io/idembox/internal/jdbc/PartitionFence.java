// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The condition that lanes are still this process's, asked for together with the commit. It locks nothing: whoever takes a lane
 * over does not wait for a process that may be frozen, and the marks keep what is still under way from happening twice.
 */
final class PartitionFence {

    private static final String WORDS = "idembox: the partition was taken over";

    private final Sql sql;
    private final int consumer;
    private final Map<String, UUID> tokens;

    PartitionFence(Sql sql, int consumer, Map<String, UUID> tokens) {
        this.sql = sql;
        this.consumer = consumer;
        this.tokens = new TreeMap<>(tokens);
    }

    /** One question for each lane; the first whose answer is no is an error. */
    String text() {
        return String.join("; ", Collections.nCopies(tokens.size(), sql.text(PartitionStatement.FENCE_LANE)));
    }

    void bind(PreparedStatement statement) throws SQLException {
        Binder binder = new Binder(sql, statement);
        for (Map.Entry<String, UUID> partition : tokens.entrySet()) {
            binder.number(consumer).text(partition.getKey()).token(partition.getValue());
        }
    }

    /** Asks at once, where questions do not travel with the commit. */
    void check(Connection connection) throws SQLException {
        for (Map.Entry<String, UUID> partition : tokens.entrySet()) {
            try (PreparedStatement statement = sql.prepare(connection, PartitionStatement.FENCE_LANE)) {
                new Binder(sql, statement)
                        .number(consumer)
                        .text(partition.getKey())
                        .token(partition.getValue());
                try (ResultSet rows = statement.executeQuery()) {
                    if (!rows.next() || rows.getInt(1) == 0) {
                        throw new SQLException(WORDS, "22018");
                    }
                }
            }
        }
    }

    /** Whether an error says that somebody else has a lane. */
    static boolean isBroken(SQLException error) {
        return String.valueOf(error.getMessage()).contains(WORDS);
    }
}
