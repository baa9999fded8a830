// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The first steps of a new user: a message fails, is listed, explained, redriven, completed. On PostgreSQL. */
class WalkthroughDbTest {

    private final PostgresDatabase database = PostgresServer.shared().freshDatabase();
    private final Cli cli = Cli.withoutDatabase()
            .variable("PGHOST", "127.0.0.1")
            .variable("PGPORT", Integer.toString(PostgresServer.shared().port()))
            .variable("PGDATABASE", database.name())
            .variable("PGUSER", "postgres");

    @Test
    void failedMessageIsListedExplainedRedrivenAndCompleted() throws Exception {
        assertThat(cli.run("status").exitCode()).isEqualTo(2);
        assertThat(cli.run("schema", "check").exitCode()).isEqualTo(1);
        assertThat(cli.run("schema", "diff").out()).contains("create table idembox_ledger");
        assertThat(cli.run("schema", "apply", "-y").exitCode()).isZero();
        assertThat(cli.run("schema", "check").exitCode()).isZero();

        try (Inbox inbox = Inbox.on(database.dataSource()).start()) {
            inbox.handle("billing", Message.of("evt-456", "OrderPlaced", "{}").from("/orders"), ctx -> {
                throw HandlerException.park("the bank is closed");
            });
        }

        Cli.Result status = cli.run("status", "--fail-on", "parked=1");
        assertThat(status.exitCode()).isEqualTo(1);
        assertThat(status.err()).contains("billing: 1 parked");
        assertThat(cli.run("parked", "list").out()).contains("billing", "/orders", "evt-456", "the bank is closed");
        assertThat(cli.run("messages", "explain", "billing", "/orders", "evt-456")
                        .out())
                .contains("PARKED (HANDLER)", "the bank is closed", "redrive it");
        assertThat(cli.run("parked", "redrive", "--consumer", "billing", "--dry-run")
                        .out())
                .contains("selected  1", "evt-456");
        assertThat(cli.run("parked", "redrive", "--consumer", "billing").err()).contains("--reason");

        Cli.Result redriven =
                cli.typing("y").run("parked", "redrive", "--consumer", "billing", "--reason", "it opened");
        assertThat(redriven.err()).contains("Redrive 1 message of billing? [y/N]", "1 of 1 message redriven.");
        assertThat(redriven.exitCode()).isZero();

        CountDownLatch handled = new CountDownLatch(1);
        try (Inbox inbox = Inbox.on(database.dataSource()).start()) {
            inbox.subscribe("billing")
                    .policy(ConsumerPolicy.defaults().mode(Mode.STORED))
                    .on("OrderPlaced", String.class, (order, ctx) -> handled.countDown())
                    .start();
            assertThat(handled.await(30, TimeUnit.SECONDS)).isTrue();
            // close() waits until the messages in progress are settled.
        }

        assertThat(cli.json("parked", "list")).isEmpty();
        assertThat(cli.run("status", "--fail-on", "parked=1").exitCode()).isZero();
        assertThat(cli.json("messages", "get", "billing", "/orders", "evt-456")
                        .get("status")
                        .asText())
                .isEqualTo("COMPLETED");
        assertThat(cli.run("messages", "explain", "billing", "/orders", "evt-456")
                        .out())
                .contains("it opened");
    }
}
