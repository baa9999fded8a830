// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.messages;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.admin.Filter;
import io.idembox.cli.output.OutputFormat;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Existing messages are skipped, new messages are shown once. */
class MessageTailDbTest {

    private final StringWriter out = new StringWriter();

    private static Message order(String id) {
        return Message.of(id, "OrderPlaced", "{}").from("/orders");
    }

    @Test
    void newMessagesAreShownOnce() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        List<Filter> filters = List.of(Filter.of("billing"));
        try (Inbox inbox = Inbox.on(dataSource).createSchema().start()) {
            inbox.store("billing", order("old"));
            MessageTail messageTail = new MessageTail(
                    inbox.admin(), OutputFormat.NDJSON.on(new PrintWriter(out)).rows(List.of()), 3);
            messageTail.skipExisting(filters);

            assertThat(messageTail.poll(filters)).isTrue();
            assertThat(out.toString()).isEmpty();

            inbox.store("billing", List.of(order("1"), order("2")));
            assertThat(messageTail.poll(filters)).isTrue();
            assertThat(messageTail.poll(filters)).isTrue();
            assertThat(out.toString().lines()).hasSize(2).noneMatch(line -> line.contains("\"old\""));

            inbox.store("billing", List.of(order("3"), order("4")));
            assertThat(messageTail.poll(filters)).as("ends after three").isFalse();
        }
    }
}
