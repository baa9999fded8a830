// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that fails over to a replica which was behind: what was acknowledged meanwhile is fetched again. */
class KafkaFailoverDbTest {

    @TempDir
    Path directory;

    @Test
    void whatTheDatabaseForgotIsReadAgain() throws IOException, InterruptedException {
        Path data = directory.resolve("data");
        Path replica = directory.resolve("replica");
        try (PostgresServer server =
                        PostgresServer.builder().dataDirectory(data).start();
                KafkaBench bench = new KafkaBench(server.dataSource(), 2)) {
            bench.inbox()
                    .subscribe("billing")
                    .from(KafkaSource.topics(bench.config(), bench.topic).firstStart(FirstStart.EARLIEST))
                    .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                    .start();
            bench.sendPaid(0, 50, 10);
            bench.awaitEffects(50);
            bench.awaitCommitted("billing", 50);

            server.stop();
            run("cp", "-a", data.toString(), replica.toString());
            server.restart();
            bench.sendPaid(50, 100, 10);
            bench.awaitEffects(100);
            bench.awaitCommitted("billing", 100);

            server.kill();
            run("rm", "-rf", data.toString());
            run("mv", replica.toString(), data.toString());
            Files.createFile(data.resolve("standby.signal"));
            server.restart();
            assertThat(bench.count("effect")).isEqualTo(50);
            assertThat(bench.list("select pg_promote()")).containsExactly("t");

            bench.awaitEffects(100);
            assertThat(bench.count("(select distinct id from effect) e")).isEqualTo(100);
            bench.sendPaid(100, 110, 10);
            bench.awaitEffects(110);
            bench.awaitCommitted("billing", 110);
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor())
                .as(String.join(" ", command))
                .isZero();
    }
}
