// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.event.InboxEvent;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;

/** An inbox on an empty database of each kind, and a table whose rows are the effects. */
@OnEveryDatabase
abstract class DatabaseTest {

    @Parameter
    TestDatabase.Kind kind;

    final List<InboxEvent> events = new CopyOnWriteArrayList<>();
    TestDatabase database;
    Inbox inbox;

    @BeforeEach
    void start() {
        database = kind.open();
        database.run("create table effect (id varchar(100) not null, note varchar(100))");
        inbox = configure(builder()).start();
    }

    @AfterEach
    void stop() {
        inbox.close();
        database.close();
    }

    /** What a test class wants differently. */
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder;
    }

    final Inbox.Builder builder() {
        return builder(database.dataSource());
    }

    /** The same in a process with a data source of its own. */
    final Inbox.Builder builder(DataSource dataSource) {
        return Inbox.on(dataSource)
                .createSchema()
                .lockTimeout(Duration.ofMillis(200))
                .listener(events::add);
    }

    final boolean isPostgres() {
        return kind == TestDatabase.Kind.POSTGRESQL;
    }

    static void effect(HandlerContext context) throws SQLException {
        effect(context, null);
    }

    static void effect(HandlerContext context, String note) throws SQLException {
        try (PreparedStatement insert =
                context.connection().prepareStatement("insert into effect (id, note) values (?, ?)")) {
            insert.setString(1, context.id().id());
            insert.setString(2, note);
            insert.executeUpdate();
        }
    }

    static void execute(HandlerContext context, String sql) throws SQLException {
        try (PreparedStatement statement = context.connection().prepareStatement(sql)) {
            statement.execute();
        }
    }

    static Message message(String id) {
        return Message.of(id, "OrderPlaced", "{\"id\":\"" + id + "\"}").from("/orders");
    }

    final List<String> effects() {
        return database.list("select id from effect order by id");
    }
}
