// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import static io.idembox.testkit.postgres.PostgresServerDbTest.execute;
import static io.idembox.testkit.postgres.PostgresServerDbTest.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.testkit.process.Processes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunAsDbTest {

    private final Path postgres = Binaries.onClassPath().postgres();

    @Test
    void onlyRootSwitchesTheUser() {
        RunAs way = RunAs.detect(postgres);

        if (RunAs.currentUid() == 0) {
            assertThat(way).isIn(RunAs.UNSHARED, RunAs.SETPRIV);
        } else {
            assertThat(way).isEqualTo(new RunAs(List.of(), RunAs.currentUid()));
        }
    }

    @Test
    void rootRunsTheServerAsNobodyWhereThereAreNoUserNamespaces() throws SQLException {
        assumeRootAnd(RunAs.SETPRIV);
        var missing = new RunAs(List.of("no-such-program"), 0);

        assertThat(RunAs.firstThatWorks(postgres, List.of(missing, RunAs.SETPRIV)))
                .isEqualTo(RunAs.SETPRIV);
        try (PostgresServer server =
                PostgresServer.builder().runAs(RunAs.SETPRIV).start()) {
            execute(server.dataSource(), "create table rows as select 42 as id");

            server.kill();
            server.restart();

            assertThat(query(server.dataSource(), "select id from rows")).containsExactly("42");
        }
    }

    @Test
    void dataDirectoryIsHandedOverToTheNewUser() throws Exception {
        assumeRootAnd(RunAs.UNSHARED);
        assumeRootAnd(RunAs.SETPRIV);
        // Not in a @TempDir: only root has access to that.
        Path data = Files.createTempDirectory("idembox-hands-");
        try {
            for (RunAs user : List.of(RunAs.SETPRIV, RunAs.UNSHARED, RunAs.SETPRIV)) {
                try (PostgresServer server =
                        PostgresServer.builder().dataDirectory(data).runAs(user).start()) {
                    execute(server.dataSource(), "create table if not exists rows (id int)");
                    execute(server.dataSource(), "insert into rows values (1)");
                }
                assertThat(RunAs.ownerOf(data.resolve("PG_VERSION"))).isEqualTo(user.uid());
            }
        } finally {
            DataDirectory.deleteTree(data);
        }
    }

    @Test
    void reportsAllTriesWhenNoneWorks() {
        var refused = new RunAs(List.of("sh", "-c", "echo operation not permitted; exit 1"), 0);
        var missing = new RunAs(List.of("no-such-program"), 0);

        assertThatThrownBy(() -> RunAs.firstThatWorks(postgres, List.of(refused, missing)))
                .isInstanceOf(PostgresServerException.class)
                .hasMessageContaining("runs as root")
                .hasMessageContaining("Run the build as a normal user")
                .hasMessageContaining("operation not permitted")
                .hasMessageContaining("no-such-program");
    }

    private void assumeRootAnd(RunAs way) {
        assumeTrue(RunAs.currentUid() == 0, "needs root");
        String name = way.prefix().get(0);
        assumeTrue(
                Processes.run(way.command(List.of(postgres.toString(), "--version")), Processes.KILL_TIMEOUT)
                        .succeeded(),
                "needs a working " + name);
    }
}
