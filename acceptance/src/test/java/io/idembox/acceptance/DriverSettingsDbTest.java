// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.admin.Filter;
import io.idembox.admin.Status;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import io.idembox.testkit.postgres.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings of pgjdbc that are in many JDBC URLs change nothing, or are refused at the start. */
class DriverSettingsDbTest {

    private static final int MESSAGES = 120;

    private final Seen seen = new Seen();
    private TestDatabase database;

    @AfterEach
    void close() {
        database.close();
    }

    private void open(String setting) {
        String url = PostgresServer.shared().freshDatabase().jdbcUrl();
        database = TestDatabase.on(url + (url.contains("?") ? "&" : "?") + setting);
        database.run("create table effect (id varchar(100) not null, note varchar(100))");
    }

    private Inbox.Builder builder() {
        return Inbox.on(database.dataSource()).createSchema().listener(seen);
    }

    private static ConsumerPolicy stored() {
        return ConsumerPolicy.defaults()
                .mode(Mode.STORED)
                .retry(RetryPolicy.exponential(1, Duration.ZERO, Duration.ZERO))
                .work(WorkPolicy.defaults().workers(1).poll(Duration.ofMillis(20)));
    }

    private static List<Message> messages() {
        return IntStream.range(0, MESSAGES)
                .mapToObj(i ->
                        Message.of("m" + i, "OrderPlaced", "{}").from("/orders").keyed("k" + i % 7))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100})
    void fetchSizeDoesNotReachTheStatementsOfTheInboxInDirectMode(int rows) {
        open("defaultRowFetchSize=" + rows);
        try (Inbox inbox = builder().outbox("receipts").start()) {
            assertThat(inbox.handleAll("direct", messages(), context -> {
                        DatabaseTest.effect(context);
                        context.outbox()
                                .send("receipts", Message.of("r-" + context.id().id(), "Receipt", "{}"));
                    }))
                    .extracting(Receipt::kind)
                    .containsOnly(Receipt.Kind.COMPLETED);
            assertThat(inbox.handleAll("direct", messages(), DatabaseTest::effect))
                    .extracting(Receipt::kind)
                    .containsOnly(Receipt.Kind.DUPLICATE);
            Letterbox letters = new Letterbox();
            inbox.outbox().relay(letters, "receipts");
            assertThat(letters.await(MESSAGES)).hasSize(MESSAGES);
        }
        assertThat(database.list("select id from effect")).hasSize(MESSAGES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100})
    void fetchSizeDoesNotReachTheStatementsOfTheInboxInStoredMode(int rows) {
        open("defaultRowFetchSize=" + rows);
        try (Inbox inbox = builder()
                .consumer("stored", stored())
                .consumer("ordered", stored().ordering(Ordering.HOLD))
                .consumer("failing", stored())
                .start()) {
            for (String consumer : List.of("stored", "ordered", "failing")) {
                assertThat(inbox.store(consumer, messages())).allMatch(Receipt::acknowledges);
                inbox.subscribe(consumer)
                        .on("OrderPlaced", Payload.class, (payload, context) -> {
                            if (context.consumer().equals("failing")) {
                                throw new IllegalStateException("no");
                            }
                            DatabaseTest.effect(context);
                        })
                        .start();
            }
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 2 * MESSAGES);
            seen.awaitAnswers(Receipt.Kind.FAILED, MESSAGES);
            Filter failed = Filter.of("failing").status(Status.FAILED_TERMINAL);
            assertThat(inbox.admin().preview(failed, MESSAGES).refs().size()).isEqualTo(MESSAGES);
        }
        assertThat(database.list("select id from effect")).hasSize(2 * MESSAGES);
    }

    @Test
    void forcedBinaryTransferIsRefused() {
        open("prepareThreshold=-1");

        assertThatThrownBy(() -> builder().start())
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("prepareThreshold");
    }
}
