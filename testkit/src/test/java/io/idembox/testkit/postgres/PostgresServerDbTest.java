// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresServerDbTest {

    @Nested
    class TheSharedServer {

        private final PostgresServer server = PostgresServer.shared();

        @Test
        void answers() throws SQLException {
            assertThat(query(server.dataSource(), "select 1")).containsExactly("1");
            assertThat(query(server.dataSource(), "show server_version")).containsExactly(server.version());
            assertThat(server.isRunning()).isTrue();
            assertThat(PostgresServer.shared()).isSameAs(server);
        }

        @Test
        void runsWithDurableSettingsOnLoopbackOnly() throws SQLException {
            DataSource dataSource = server.dataSource();

            assertThat(query(dataSource, "show fsync")).containsExactly("on");
            assertThat(query(dataSource, "show synchronous_commit")).containsExactly("on");
            assertThat(query(dataSource, "show full_page_writes")).containsExactly("on");
            assertThat(query(dataSource, "show listen_addresses")).containsExactly("127.0.0.1");
            assertThat(query(dataSource, "show unix_socket_directories")).containsExactly("");
            assertThat(query(dataSource, "show max_connections")).containsExactly("200");
            assertThat(query(dataSource, "show server_encoding")).containsExactly("UTF8");
            assertThat(query(dataSource, "select datcollate from pg_database where datname = 'template1'"))
                    .containsExactly("C");
        }

        @Test
        void givesFreshDatabasesThatAreSeparate() throws SQLException {
            PostgresDatabase one = server.freshDatabase();
            PostgresDatabase other = server.freshDatabase();

            execute(one.dataSource(), "create table only_here (id int)");

            assertThat(one.name()).isNotEqualTo(other.name());
            assertThat(one.jdbcUrl()).isEqualTo(server.jdbcUrl(one.name()));
            assertThat(query(one.dataSource(), "select to_regclass('only_here') is not null"))
                    .containsExactly("t");
            assertThat(query(other.dataSource(), "select to_regclass('only_here') is not null"))
                    .containsExactly("f");
        }

        @Test
        void createsAndDropsADatabaseOfAnyName() throws SQLException {
            String name = "Orders \"2026\" %/ü";

            PostgresDatabase database = server.createDatabase(name);
            assertThat(query(database.dataSource(), "select current_database()"))
                    .containsExactly(name);

            server.dropDatabase(name);
            assertThatThrownBy(() -> query(database.dataSource(), "select 1")).hasMessageContaining("does not exist");
        }

        @Test
        void refusesANameThatPostgresWouldTruncate() {
            assertThatThrownBy(() -> server.createDatabase("x".repeat(64)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 to 63 bytes");
        }

        @Test
        void reportsWhyADatabaseCannotBeCreated() {
            assertThatThrownBy(() -> server.createDatabase("postgres"))
                    .isInstanceOf(PostgresServerException.class)
                    .hasMessageContaining("already exists");
        }

        @Test
        void cannotBeStoppedWhileShared() throws SQLException {
            assertThatThrownBy(server::kill)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("PostgresServer.start()");
            assertThatThrownBy(server::stop).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(server::restart).isInstanceOf(IllegalStateException.class);

            server.close();

            assertThat(query(server.dataSource(), "select 1")).containsExactly("1");
        }
    }

    @Nested
    class TheDataDirectory {

        @Test
        void temporaryDirectoryIsRemovedOnClose() {
            PostgresServer server = PostgresServer.start();
            Path data = server.dataDirectory();
            assertThat(data).isDirectory();

            server.close();
            server.close();

            assertThat(data).doesNotExist();
            assertThat(server.isRunning()).isFalse();
            assertThatThrownBy(server::restart).isInstanceOf(IllegalStateException.class);
        }

        @Test
        void givenDirectoryIsKeptAndReusable(@TempDir Path temporary) throws SQLException {
            Path data = temporary.resolve("new/data");
            try (PostgresServer server =
                    PostgresServer.builder().dataDirectory(data).start()) {
                execute(server.dataSource(), "create table kept as select 42 as answer");
            }

            assertThat(data.resolve("PG_VERSION")).exists();
            assertThat(data.resolve("postmaster.pid")).doesNotExist();
            try (PostgresServer server =
                    PostgresServer.builder().dataDirectory(data).start()) {
                assertThat(query(server.dataSource(), "select answer from kept"))
                        .containsExactly("42");
            }
        }

        @Test
        void directoryWithOtherFilesIsNotTouched(@TempDir Path temporary) throws Exception {
            Files.writeString(temporary.resolve("thesis.txt"), "three years of work");

            assertThatThrownBy(() ->
                            PostgresServer.builder().dataDirectory(temporary).start())
                    .isInstanceOf(PostgresServerException.class)
                    .hasMessageContaining("is not empty");
            assertThat(temporary).isDirectoryContaining("glob:**/thesis.txt");
        }

        /**
         * Some of these kills fall into the moment at which initdb's shell starts a server: no process may be
         * overlooked.
         */
        @ParameterizedTest
        @ValueSource(ints = {5, 20, 25, 30, 35, 40, 50, 60, 80, 100})
        void directoryIsClearedAfterAFailedInitdb(int millis, @TempDir Path temporary) {
            var hurried = PostgresServer.builder().dataDirectory(temporary).startupTimeout(Duration.ofMillis(millis));

            assertThatThrownBy(hurried::start)
                    .isInstanceOf(PostgresServerException.class)
                    .hasMessageContaining("no answer in time");
            assertThat(temporary).isEmptyDirectory();
        }
    }

    @Test
    void twoServersStartedAtOnceRunSideBySide() throws SQLException {
        var starting = CompletableFuture.supplyAsync(PostgresServer::start);
        try (PostgresServer one = PostgresServer.start();
                PostgresServer other = starting.join()) {
            execute(one.dataSource(), "create table only_here (id int)");

            assertThat(one.port()).isNotEqualTo(other.port());
            assertThat(query(other.dataSource(), "select to_regclass('only_here') is null"))
                    .containsExactly("t");
        }
    }

    @Test
    void takesBinariesFromAJarAndSettingsFromTheCaller() throws SQLException {
        try (PostgresServer server = PostgresServer.builder()
                .binaries(jarOnClassPath())
                .setting("max_connections", "17")
                .setting("wal_level", "logical")
                .start()) {
            assertThat(server.version()).isEqualTo(PostgresServer.shared().version());
            assertThat(query(server.dataSource(), "show max_connections")).containsExactly("17");
            assertThat(query(server.dataSource(), "show wal_level")).containsExactly("logical");
        }
    }

    @Test
    void failedStartShowsTheServerLog() {
        var wrong = PostgresServer.builder().setting("shared_buffers", "plenty");

        assertThatThrownBy(wrong::start)
                .isInstanceOfSatisfying(
                        PostgresServerException.class,
                        e -> assertThat(e.log())
                                .anySatisfy(line ->
                                        assertThat(line).contains("FATAL").contains("shared_buffers")))
                .hasMessageContaining("invalid value for parameter \"shared_buffers\"");
    }

    @Test
    void jarWithoutBinariesForThisMachineIsNamed(@TempDir Path temporary) throws Exception {
        Path jar = temporary.resolve("empty.jar");
        try (var zip = new java.util.zip.ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new java.util.zip.ZipEntry("nothing"));
        }

        assertThatThrownBy(() -> PostgresServer.builder().binaries(jar).start())
                .isInstanceOf(PostgresServerException.class)
                .hasMessageContaining("empty.jar holds no postgres-");
    }

    @Test
    void reservedSettingsAreRefused() {
        var builder = PostgresServer.builder();

        assertThatThrownBy(() -> builder.setting("port", "5432")).hasMessageContaining("\"port\" cannot be set");
        assertThatThrownBy(() -> builder.setting("Listen_Addresses", "*")).hasMessageContaining("cannot be set");
        assertThatThrownBy(() -> builder.setting("fsync=off -c x", "y")).hasMessageContaining("cannot be set");
    }

    static void execute(DataSource dataSource, String sql) throws SQLException {
        try (var connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static List<String> query(DataSource dataSource, String sql) throws SQLException {
        try (var connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    private static Path jarOnClassPath() {
        String url = String.valueOf(PostgresServerDbTest.class
                .getClassLoader()
                .getResource(Platform.current().resource()));
        return Path.of(java.net.URI.create(url.substring("jar:".length(), url.indexOf("!/"))));
    }
}
