// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.accounts;

import io.idembox.Message;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * B: what people write by hand, and write well. One transaction per message: insert into the table of processed messages
 * unless it is there, do the work, commit.
 */
public final class HandWritten implements Strategy {

    public static final String TABLE = "processed";

    private static final String INSERT = """
            insert into processed (consumer, message_id, payload)
            values (?, ?, cast(? as jsonb))
                on conflict do nothing
            """;

    private final DataSource dataSource;
    private final Also also;

    /** What else is done in the transaction of a message. */
    @FunctionalInterface
    public interface Also {
        void write(Connection connection, Message message) throws SQLException;
    }

    public HandWritten(Arena arena) {
        this(arena, (connection, message) -> {});
    }

    public HandWritten(Arena arena, Also also) {
        this.dataSource = arena.dataSource();
        this.also = also;
        arena.execute("""
                create table processed (
                    consumer    text        not null,
                    message_id  text        not null,
                    payload     jsonb       not null,
                    received_at timestamptz not null default now(),
                    primary key (consumer, message_id)
                )
                """);
    }

    @Override
    public String name() {
        return "B";
    }

    @Override
    public int batchSize() {
        return 1;
    }

    @Override
    public String effects() {
        return Accounts.EFFECTS;
    }

    @Override
    public Tally consume(Feed feed) throws SQLException {
        return handle(feed.next(1).get(0));
    }

    /** One message in one transaction. */
    public Tally handle(Message message) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                boolean first = isFirst(connection, message);
                if (first) {
                    Accounts.deposit(connection, message);
                    also.write(connection, message);
                }
                connection.commit();
                return first ? Tally.completed(1) : Tally.duplicate(1);
            } catch (SQLException failed) {
                connection.rollback();
                throw failed;
            }
        }
    }

    private static boolean isFirst(Connection connection, Message message) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, "accounting");
            statement.setString(2, message.id().orElseThrow());
            statement.setString(3, message.payload().text());
            return statement.executeUpdate() == 1;
        }
    }
}
