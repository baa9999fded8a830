// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Outbox;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** A destination with a relay, and a broker that says what a test wants it to say. */
abstract class RelayBench extends DatabaseTest {

    static final String ORDERS = Outbox.consumer("orders");
    static final Operation BY_ANNA = Operation.of("anna", "mended");

    final Letterbox letters = new Letterbox();
    final Seen seen = new Seen();

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return with(builder, policy());
    }

    Inbox.Builder with(Inbox.Builder builder, OutboxPolicy policy) {
        return builder.outbox("orders", policy).listener(seen);
    }

    static OutboxPolicy policy() {
        return OutboxPolicy.defaults()
                .retry(RetryPolicy.exponential(3, Duration.ofMillis(1), Duration.ofMillis(1)))
                .work(WorkPolicy.defaults().lease(Duration.ofSeconds(1)).maxProcessing(Duration.ofMinutes(1)));
    }

    static Message order(String key, int nr) {
        return Message.of(key + nr, "OrderPlaced", "{\"nr\":" + nr + "}").keyed(key);
    }

    void send(Message... messages) {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            inbox.outbox().send(connection, "orders", Arrays.asList(messages));
            connection.commit();
            inbox.outbox().committed();
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    List<InboxMessage> unfinished() {
        return inbox.admin().list(Filter.of(ORDERS), Page.first(100)).messages();
    }

    InboxMessage known(String id) {
        return inbox.admin().find(ORDERS, new MessageId("/orders", id)).orElseThrow();
    }
}
