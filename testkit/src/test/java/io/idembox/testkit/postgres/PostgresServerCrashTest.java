// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import static io.idembox.testkit.postgres.PostgresServerDbTest.execute;
import static io.idembox.testkit.postgres.PostgresServerDbTest.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.testkit.process.Processes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PostgresServerCrashTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final PostgresServer server = PostgresServer.start();

    @BeforeEach
    void serverRuns() {
        if (!server.isRunning()) {
            server.restart();
        }
    }

    @AfterAll
    static void closeServer() {
        server.close();
    }

    @Nested
    class WhenTheServerIsKilled {

        @Test
        void everyAcknowledgedCommitIsThereAfterARestart() throws Exception {
            execute(server.dataSource(), "create table rows (id int primary key)");
            for (int round = 1; round <= 3; round++) {
                var writer = new Writer(round * 1_000_000);
                writer.start();
                assertThat(writer.someAcknowledged.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();

                server.kill();
                writer.join(PATIENCE.toMillis());
                server.restart();

                assertThat(query(server.dataSource(), "select id from rows")).containsAll(writer.acknowledged);
            }
        }

        @Test
        void killLeavesNoProcess() {
            ProcessHandle postmaster = ProcessHandle.of(server.pid()).orElseThrow();
            List<ProcessHandle> children = postmaster.descendants().toList();
            assertThat(children).isNotEmpty();

            server.kill();

            assertThat(postmaster.isAlive()).isFalse();
            assertThat(children).allMatch(Processes::hasEnded);
            assertThat(server.isRunning()).isFalse();
            assertThatThrownBy(server::pid)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("restart()");
        }

        @Test
        void closeFreesSharedMemory() throws IOException {
            PostgresServer doomed = PostgresServer.start();
            String lockFile = Files.readString(doomed.dataDirectory().resolve("postmaster.pid"));
            String segment = lockFile.lines().toList().get(6).strip().split(" +", -1)[1];
            assertThat(sharedMemorySegments()).contains(segment);

            doomed.kill();
            doomed.close();

            assertThat(sharedMemorySegments()).doesNotContain(segment);
        }

        private List<String> sharedMemorySegments() {
            return Processes.run(List.of("ipcs", "-m"), PATIENCE)
                    .output()
                    .lines()
                    .flatMap(line -> Stream.of(line.split(" +", -1)).skip(1).limit(1))
                    .toList();
        }

        @Test
        void killAndStopDoNothingWhenDown() throws SQLException {
            server.kill();
            server.kill();
            server.stop();
            server.restart();

            assertThat(query(server.dataSource(), "select 1")).containsExactly("1");
        }

        @Test
        void anUnexpectedEndIsDetectedAndRestartRecovers() throws Exception {
            ProcessHandle postmaster = ProcessHandle.of(server.pid()).orElseThrow();
            List<ProcessHandle> children = postmaster.descendants().toList();

            postmaster.destroyForcibly();
            postmaster.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(server.isRunning()).isFalse();
            assertThat(Processes.awaitEnd(children, PATIENCE)).isTrue();
            server.restart();

            assertThat(query(server.dataSource(), "select 1")).containsExactly("1");
        }
    }

    @Nested
    class WhenTheServerIsStopped {

        @Test
        void restartKeepsPortAndData() throws SQLException {
            int port = server.port();
            execute(server.dataSource(), "create table kept_on_stop as select 42 as answer");

            server.stop();
            assertThatThrownBy(() -> query(server.dataSource(), "select 1")).isInstanceOf(SQLException.class);
            server.restart();

            assertThat(server.port()).isEqualTo(port);
            assertThat(query(server.dataSource(), "select answer from kept_on_stop"))
                    .containsExactly("42");
        }

        @Test
        void reportsAPortTakenByAnotherProcess() throws Exception {
            server.stop();
            try (var thief = new ServerSocket(server.port(), 1, InetAddress.getLoopbackAddress())) {
                assertThatThrownBy(server::restart)
                        .isInstanceOf(PostgresServerException.class)
                        .hasMessageContaining("took port " + thief.getLocalPort());
            }

            server.restart();

            assertThat(query(server.dataSource(), "select 1")).containsExactly("1");
        }
    }

    @Nested
    class WhenTheJvmEnds {

        @Test
        void killedJvmLeavesNoServerAndNoData() throws Exception {
            ForkedJvm jvm = ForkedJvm.start();
            List<ProcessHandle> children = ProcessHandle.of(jvm.server.pid())
                    .orElseThrow()
                    .descendants()
                    .toList();

            jvm.process.destroyForcibly();

            assertThat(Processes.awaitEnd(List.of(jvm.server), PATIENCE)).isTrue();
            assertThat(Processes.awaitEnd(children, PATIENCE)).isTrue();
            assertThat(Processes.awaitEnd(List.of(jvm.watchdog), PATIENCE)).isTrue();
            assertThat(jvm.data).doesNotExist();
        }

        @Test
        @Tag("slow")
        void endedJvmLeavesNoServerAndNoData() throws Exception {
            ForkedJvm jvm = ForkedJvm.start();

            jvm.process.getOutputStream().close();

            assertThat(Processes.awaitEnd(List.of(jvm.server, jvm.watchdog), PATIENCE))
                    .isTrue();
            assertThat(jvm.data).doesNotExist();
        }
    }

    @Test
    void closesEvenOnAnInterruptedThread() {
        PostgresServer doomed = PostgresServer.start();
        ProcessHandle postmaster = ProcessHandle.of(doomed.pid()).orElseThrow();

        Thread.currentThread().interrupt();
        doomed.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(postmaster.isAlive()).isFalse();
        assertThat(doomed.dataDirectory()).doesNotExist();
    }

    /** Commits one row after the other until the server has died. */
    private static final class Writer extends Thread {

        final ConcurrentLinkedQueue<String> acknowledged = new ConcurrentLinkedQueue<>();
        final CountDownLatch someAcknowledged = new CountDownLatch(100);
        private final int firstId;

        Writer(int firstId) {
            this.firstId = firstId;
        }

        @Override
        public void run() {
            try (var connection = server.dataSource().getConnection();
                    var insert = connection.prepareStatement("insert into rows values (?)")) {
                for (int id = firstId; ; id++) {
                    insert.setInt(1, id);
                    insert.executeUpdate();
                    acknowledged.add(Integer.toString(id));
                    someAcknowledged.countDown();
                }
            } catch (SQLException e) {
                // The server was killed, as expected.
            }
        }
    }

    /** A JVM that starts a server and then does nothing until its standard input ends. */
    record ForkedJvm(Process process, ProcessHandle server, ProcessHandle watchdog, Path data) {

        static ForkedJvm start() throws IOException {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            ForkedJvm.class.getName())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String line = process.inputReader().readLine();
            assertThat(line).as("first line of the forked JVM").isNotNull();
            String[] words = line.split(" ", 3);
            return new ForkedJvm(process, handle(words[0]), handle(words[1]), Path.of(words[2]));
        }

        private static ProcessHandle handle(String pid) {
            return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
        }

        public static void main(String[] arguments) throws IOException {
            PostgresServer own = PostgresServer.start();
            System.out.println(own.pid() + " " + own.watchdogPid() + " " + own.dataDirectory());
            while (System.in.read() >= 0) {
                // wait to be killed
            }
        }
    }
}
