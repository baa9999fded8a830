// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.StoreUnavailableException;
import io.idembox.internal.engine.PartitionStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.jdbc.DelegatingDataSource;
import io.idembox.testkit.jdbc.JdbcProxy;
import io.idembox.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first question for PostgreSQL's timeline, whose answer decides how rewinds are detected as long as the process runs. */
class TimelineDbTest {

    @TempDir
    Path directory;

    /** Answers the first questions for the timeline as a standby does. */
    private static final class Promoted extends DelegatingDataSource {

        private final AtomicInteger left;

        Promoted(DataSource real, int answers) {
            super(real);
            this.left = new AtomicInteger(answers);
        }

        @Override
        public Connection getConnection() throws SQLException {
            return around(real().getConnection());
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return around(real().getConnection(user, password));
        }

        private Connection around(Connection connection) {
            return JdbcProxy.of(Connection.class, connection, (self, method, args) -> {
                if (method.getName().equals("prepareStatement")
                        && args != null
                        && String.valueOf(args[0]).contains("pg_walfile_name")
                        && left.getAndDecrement() > 0) {
                    throw new SQLException("recovery is in progress", "55000");
                }
                return JdbcProxy.call(connection, method, args);
            });
        }
    }

    private static JdbcInboxStore store(DataSource database) {
        return new JdbcInboxStore(
                database,
                Database.POSTGRESQL,
                new TableNames("public", "idembox_"),
                new StoreSettings(Duration.ofMillis(200), "node", ManualClock.create()));
    }

    private static String timelineOf(PartitionStore owners, RegisteredConsumer consumer) {
        return owners.takeOver(consumer, "orders/0", UUID.randomUUID()).timeline();
    }

    private static void run(DataSource database, String statement) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement running = connection.createStatement()) {
            running.execute(statement);
        }
    }

    @Test
    void answerOfAStandbyIsNotRememberedAfterItsPromotion() throws IOException, SQLException {
        Path data = directory.resolve("data");
        try (PostgresServer server =
                PostgresServer.builder().dataDirectory(data).start()) {
            DataSource database = server.dataSource();
            Inbox.on(database).createSchema().start().close();
            JdbcInboxStore store = store(database);
            RegisteredConsumer consumer = store.consumer("billing", ConsumerPolicy.defaults());
            PartitionStore owners = store.owners();
            server.stop();
            Files.createFile(data.resolve("standby.signal"));
            server.restart();

            assertThatThrownBy(() -> timelineOf(owners, consumer)).isInstanceOf(StoreUnavailableException.class);
            run(database, "select pg_promote()");
            assertThat(timelineOf(owners, consumer)).isEqualTo("00000002");
        }
    }

    @Test
    void serverThatIsPromotedBetweenTwoQuestionsIsAskedAgain() {
        DataSource database =
                new Promoted(PostgresServer.shared().freshDatabase().dataSource(), 1);
        Inbox.on(database).createSchema().start().close();
        JdbcInboxStore store = store(database);
        assertThat(timelineOf(store.owners(), store.consumer("billing", ConsumerPolicy.defaults())))
                .isNotEmpty();
    }

    @Test
    void engineThatNeverAnswersIsRememberedAndWorks() {
        Promoted database = new Promoted(PostgresServer.shared().freshDatabase().dataSource(), Integer.MAX_VALUE);
        Inbox.on(database).createSchema().start().close();
        JdbcInboxStore store = store(database);
        RegisteredConsumer consumer = store.consumer("billing", ConsumerPolicy.defaults());
        PartitionStore owners = store.owners();
        assertThat(timelineOf(owners, consumer)).isEmpty();
        int left = database.left.get();
        assertThat(timelineOf(owners, consumer)).isEmpty();
        assertThat(database.left).hasValue(left);
    }
}
