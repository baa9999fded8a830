// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Receipt;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** A connection that is inside a transaction of the application is refused; pools without auto-commit are not. */
@OnEveryDatabase
class ForeignTransactionDbTest {

    @Parameter
    TestDatabase.Kind kind;

    TestDatabase database;
    private @Nullable HikariDataSource pool;

    @BeforeEach
    void open() {
        database = kind.open();
        database.run("create table effect (id varchar(100) not null, note varchar(100))");
    }

    @AfterEach
    void close() {
        if (pool != null) {
            pool.close();
        }
        database.close();
    }

    private DataSource pool(boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.isH2() ? "sa" : "postgres");
        config.setMaximumPoolSize(4);
        config.setAutoCommit(autoCommit);
        pool = new HikariDataSource(config);
        return pool;
    }

    private static Inbox startOn(DataSource dataSource) {
        return Inbox.on(dataSource).createSchema().start();
    }

    @Test
    void messageInsideATransactionOfTheApplicationIsRefusedAndNotLost() throws Exception {
        Bound bound = new Bound(pool(true), false);
        try (Inbox inbox = startOn(bound.dataSource())) {
            bound.begin();
            bound.execute("insert into effect (id) values ('business')");

            assertThatThrownBy(() -> inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("@Transactional")
                    .hasMessageContaining("handle(connection, ...)");
            assertThatThrownBy(() -> inbox.store("billing", DatabaseTest.message("2")))
                    .isInstanceOf(InboxConfigurationException.class);
            bound.rollback();

            assertThat(database.list("select id from effect")).isEmpty();
            assertThat(inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect)
                            .kind())
                    .as("the redelivery outside of the transaction")
                    .isEqualTo(Receipt.Kind.COMPLETED);
            assertThat(database.list("select id from effect")).containsExactly("1");
        }
    }

    @Test
    void transactionOfTheApplicationThatWasRefusedCanBeCommitted() throws Exception {
        Bound bound = new Bound(pool(true), false);
        try (Inbox inbox = startOn(bound.dataSource())) {
            bound.begin();
            bound.execute("insert into effect (id) values ('business')");
            assertThatThrownBy(() -> inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect))
                    .isInstanceOf(InboxConfigurationException.class);
            bound.execute("insert into effect (id) values ('more')");
            bound.commit();

            assertThat(database.list("select id from effect")).containsExactly("business", "more");
        }
    }

    @Test
    void transactionThatHasNotDoneAnythingYetIsRefused() throws Exception {
        Bound bound = new Bound(pool(true), false);
        try (Inbox inbox = startOn(bound.dataSource())) {
            bound.begin();

            assertThatThrownBy(() -> inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect))
                    .isInstanceOf(InboxConfigurationException.class);
            bound.rollback();

            assertThat(inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
        }
    }

    @Test
    void startInsideATransactionOfTheApplicationIsRefused() throws Exception {
        DataSource own = pool(true);
        startOn(own).close();
        Bound bound = new Bound(own, false);
        bound.begin();
        bound.execute("insert into effect (id) values ('business')");

        assertThatThrownBy(() -> startOn(bound.dataSource())).isInstanceOf(InboxConfigurationException.class);
        bound.rollback();

        assertThat(database.list("select id from effect")).isEmpty();
    }

    @Test
    void poolWithoutAutoCommitWorks() {
        try (Inbox inbox = startOn(pool(false))) {
            assertThat(inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
            assertThat(inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.DUPLICATE);
            assertThat(inbox.store("stored", DatabaseTest.message("2")).kind()).isEqualTo(Receipt.Kind.STORED);
        }
        assertThat(database.list("select id from effect")).containsExactly("1");
    }

    @Test
    void poolWithoutAutoCommitInsideATransactionIsRefused() throws Exception {
        Bound bound = new Bound(pool(false), false);
        try (Inbox inbox = startOn(bound.dataSource())) {
            bound.begin();
            bound.execute("insert into effect (id) values ('business')");

            assertThatThrownBy(() -> inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect))
                    .isInstanceOf(InboxConfigurationException.class);
            bound.rollback();

            assertThat(database.list("select id from effect")).isEmpty();
        }
    }

    @Test
    void driverThatCannotBeAskedIsNotTrusted() throws Exception {
        Assumptions.assumeTrue(kind == TestDatabase.Kind.POSTGRESQL, "H2 detects it with a statement");
        Bound bound = new Bound(pool(false), true);
        try (Inbox inbox = startOn(bound.dataSource())) {
            assertThat(inbox.handle("billing", DatabaseTest.message("0"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
            bound.begin();
            bound.execute("insert into effect (id) values ('business')");

            assertThatThrownBy(() -> inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect))
                    .isInstanceOf(InboxConfigurationException.class);
            bound.rollback();

            assertThat(database.list("select id from effect")).containsExactly("0");
        }
    }

    @Test
    void askingCostsNoRoundTrip() {
        Assumptions.assumeTrue(kind == TestDatabase.Kind.POSTGRESQL, "H2 runs in this process");
        StatementLog log = new StatementLog();
        try (Inbox inbox = startOn(log.on(pool(false)))) {
            inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect);
            log.take();

            inbox.handle("billing", DatabaseTest.message("2"), DatabaseTest::effect);

            List<String> sent = log.take();
            assertThat(sent).as("record, effect, proof and commit").hasSize(3);
            assertThat(sent.get(1)).startsWith("insert into effect");
            assertThat(sent.get(2)).endsWith("commit");
        }
    }

    /**
     * What transaction managers do: while a transaction is bound, every caller gets its connection, and only the
     * manager commits, rolls back and closes it.
     */
    private static final class Bound {

        private static final Set<String> NOT_YOURS = Set.of("close", "commit", "rollback");

        private final DataSource real;
        private final boolean hidesDriver;
        private @Nullable Connection current;

        Bound(DataSource real, boolean hidesDriver) {
            this.real = real;
            this.hidesDriver = hidesDriver;
        }

        DataSource dataSource() {
            return proxy(DataSource.class, (self, method, args) -> {
                if (!method.getName().equals("getConnection")) {
                    return method.invoke(real, args);
                }
                return current == null ? shown(real.getConnection(), Set.of()) : shown(current, NOT_YOURS);
            });
        }

        private Connection shown(Connection connection, Set<String> ignored) {
            return proxy(Connection.class, (self, method, args) -> {
                if (hidesDriver && method.getName().equals("unwrap")) {
                    throw new SQLFeatureNotSupportedException("unwrap");
                }
                return ignored.contains(method.getName()) && args == null ? null : method.invoke(connection, args);
            });
        }

        void begin() throws SQLException {
            current = real.getConnection();
            current.setAutoCommit(false);
        }

        void execute(String sql) throws SQLException {
            try (var statement = current.prepareStatement(sql)) {
                statement.execute();
            }
        }

        void commit() throws SQLException {
            try (Connection ending = current) {
                ending.commit();
            } finally {
                current = null;
            }
        }

        void rollback() throws SQLException {
            try (Connection ending = current) {
                ending.rollback();
            } finally {
                current = null;
            }
        }

        private static <T> T proxy(Class<T> type, InvocationHandler handler) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                        try {
                            return handler.invoke(self, method, args);
                        } catch (InvocationTargetException thrown) {
                            throw thrown.getCause();
                        }
                    }));
        }
    }
}
