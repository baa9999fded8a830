// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.testkit.postgres.PostgresServer;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings that would lose or double messages are refused before the first message. */
class StartupDbTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"always", "conservative"})
    void autosaveIsRefused(String autosave) {
        String url = PostgresServer.shared().freshDatabase().jdbcUrl();
        try (TestDatabase database = TestDatabase.on(url + (url.contains("?") ? "&" : "?") + "autosave=" + autosave)) {
            assertThatThrownBy(
                            () -> Inbox.on(database.dataSource()).createSchema().start())
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("autosave")
                    .hasMessageContaining("Set autosave=never");
        }
    }

    @ParameterizedTest
    @CsvSource({"synchronous_commit, off", "fsync, off", "full_page_writes, off"})
    void aServerThatForgetsCommitsIsRefusedUnlessLossIsAccepted(String setting, String value) {
        try (PostgresServer server =
                PostgresServer.builder().setting(setting, value).start()) {
            DataSource dataSource = server.dataSource();

            assertThatThrownBy(() -> Inbox.on(dataSource).createSchema().start())
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining(setting + "=" + value)
                    .hasMessageContaining("Set " + setting + "=on");
            try (Inbox accepted =
                    Inbox.on(dataSource).createSchema().allowUnsafeDurability().start()) {
                assertThat(accepted.handle("billing", Message.of("1", "A", "{}"), context -> {})
                                .kind())
                        .isEqualTo(Receipt.Kind.COMPLETED);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"idembox_arrival", "idembox_key_number"})
    void aCopyWithoutTheValuesOfItsSequencesIsRefused(String sequence) {
        try (TestDatabase database =
                TestDatabase.on(PostgresServer.shared().freshDatabase().jdbcUrl())) {
            Inbox.Builder builder = Inbox.on(database.dataSource())
                    .createSchema()
                    .consumer("billing", ConsumerPolicy.defaults().ordering(Ordering.HOLD));
            try (Inbox inbox = builder.start()) {
                inbox.subscribe("billing")
                        .on("A", Payload.class, (payload, context) -> {})
                        .handleAll(List.of(
                                Message.of("1", "A", "{}").keyed("one"),
                                Message.of("2", "A", "{}").keyed("two")));
            }
            builder.start().close();
            String value = database.one("select last_value from " + sequence);
            database.run("alter sequence " + sequence + " restart");

            assertThatThrownBy(builder::start)
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining(sequence)
                    .hasMessageContaining("setval");
            database.one("select setval('" + sequence + "', " + value + ")");
            builder.start().close();
        }
    }

    @Test
    void aServerThatCannotBeWrittenToIsRefused() {
        String url = PostgresServer.shared().freshDatabase().jdbcUrl();
        try (TestDatabase writable = TestDatabase.on(url)) {
            Inbox.on(writable.dataSource()).createSchema().start().close();
        }
        try (TestDatabase readOnly = TestDatabase.on(
                url + (url.contains("?") ? "&" : "?") + "options=-c%20default_transaction_read_only=on")) {
            assertThatThrownBy(() -> Inbox.on(readOnly.dataSource()).start())
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("point it at the primary");
        }
    }

    @Test
    void h2OnDiskWithAWriteDelayIsRefused() {
        String file = "jdbc:h2:file:" + folder.resolve("inbox");
        try (TestDatabase lazy = TestDatabase.on(file)) {
            assertThatThrownBy(() -> Inbox.on(lazy.dataSource()).createSchema().start())
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("WRITE_DELAY=0");
        }
        try (TestDatabase prompt = TestDatabase.on(file + ";WRITE_DELAY=0")) {
            Inbox.on(prompt.dataSource()).createSchema().start().close();
        }
    }

    @Test
    void aDataSourceThatCommitsOnItsOwnIsRefused() {
        try (TestDatabase database = TestDatabase.Kind.POSTGRESQL.open()) {
            Inbox.on(database.dataSource()).createSchema().start().close();

            assertThatThrownBy(() -> Inbox.on(committing(database.dataSource())).start())
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("commits on its own");
        }
    }

    /** Like a pool that is told to auto-commit and does not listen. */
    private static DataSource committing(DataSource real) {
        return proxy(DataSource.class, (target, method, args) -> {
            Object answer = method.invoke(real, args);
            return answer instanceof Connection connection ? committing(connection) : answer;
        });
    }

    private static Connection committing(Connection real) {
        return proxy(Connection.class, (target, method, args) -> switch (method.getName()) {
            case "setAutoCommit", "rollback" -> null;
            default -> method.invoke(real, args);
        });
    }

    private static <T> T proxy(Class<T> type, java.lang.reflect.InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            try {
                return handler.invoke(self, method, args);
            } catch (java.lang.reflect.InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }));
    }
}
