// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.Message;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.accounts.HandWritten;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import io.idembox.benchmarks.rig.Workload;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** B, and a row in an outbox table in the same transaction. */
final class ByHand implements Strategy {

    static final String TABLE = "outgoing";

    private static final String INSERT = """
            insert into outgoing (message_id, topic, message_key, event_type, payload)
            values (?, ?, ?, ?, cast(? as jsonb))
            """;

    private final HandWritten byHand;

    ByHand(Arena arena) {
        this.byHand = new HandWritten(arena, ByHand::send);
        arena.execute("""
                create table outgoing (
                    number      bigint      not null generated always as identity primary key,
                    message_id  text        not null,
                    topic       text        not null,
                    message_key text        not null,
                    event_type  text        not null,
                    payload     jsonb       not null,
                    created_at  timestamptz not null default now()
                )
                """);
    }

    private static void send(Connection connection, Message message) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, "receipt-" + message.id().orElseThrow());
            statement.setString(2, Office.DESTINATION);
            statement.setString(3, message.key().orElseThrow());
            statement.setString(4, Workload.TYPE);
            statement.setString(5, message.payload().text());
            statement.executeUpdate();
        }
    }

    @Override
    public String name() {
        return byHand.name();
    }

    @Override
    public int batchSize() {
        return byHand.batchSize();
    }

    @Override
    public String effects() {
        return Accounts.EFFECTS;
    }

    @Override
    public Tally consume(Feed feed) throws SQLException {
        return byHand.consume(feed);
    }

    /** As many were sent as were handled. */
    @Override
    public String leftOver() {
        return "select abs((select count(*) from processed) - (select count(*) from outgoing))";
    }
}
