// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Recording;
import io.idembox.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same story on every PostgreSQL we claim. Prints which versions really started. */
class PostgresVersionsDbTest {

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"15", "16", "17", "18"})
    void aBatchWithEverythingInItEndsAsItShould(String major) throws IOException {
        Optional<Path> jar = binariesOf(major);
        Assumptions.assumeTrue(
                major.equals("18") || jar.isPresent(),
                "PostgreSQL " + major + " is untested: its binaries are not here");
        PostgresServer.Builder builder = PostgresServer.builder();
        try (PostgresServer server = jar.map(builder::binaries).orElse(builder).start();
                TestDatabase database = TestDatabase.on(server.jdbcUrl());
                Inbox inbox = Inbox.on(database.dataSource())
                        .createSchema()
                        .consumer("billing", ConsumerPolicy.defaults().recording(Recording.FULL))
                        .start()) {
            System.out.println("PostgreSQL " + server.version() + " started");
            assertThat(server.version()).startsWith(major);
            database.run("create table effect (id varchar(100) primary key, note varchar(100))");

            List<Receipt> first = deliver(inbox);
            List<Receipt> second = deliver(inbox);

            assertThat(first)
                    .filteredOn(each -> each.kind() == Receipt.Kind.COMPLETED)
                    .hasSize(19);
            assertThat(first.get(7).kind()).isEqualTo(Receipt.Kind.FAILED);
            assertThat(second)
                    .filteredOn(each -> each.kind() == Receipt.Kind.DUPLICATE)
                    .hasSize(19);
            assertThat(second.get(3).result().orElseThrow().text()).isEqualTo("\"m3\"");
            assertThat(database.count("effect")).isEqualTo(19);
            assertThat(database.one("select failures from idembox_inbox where status = 'FAILED_RETRYABLE'"))
                    .isEqualTo("2");
        }
    }

    private static List<Receipt> deliver(Inbox inbox) {
        List<Message> messages = IntStream.range(0, 20)
                .mapToObj(i -> Message.of("m" + i, "OrderPlaced", "{}").from("/orders"))
                .toList();
        return inbox.handleAll("billing", messages, context -> {
            DatabaseTest.effect(context);
            context.result("\"" + context.id().id() + "\"");
            if (context.id().id().equals("m7")) {
                throw new IllegalStateException("poison");
            }
        });
    }

    static Optional<Path> binariesOf(String major) throws IOException {
        Path folder = Path.of(System.getProperty("idembox.postgres.jars", "target/postgres"), major);
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar")).findFirst();
        }
    }
}
