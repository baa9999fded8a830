// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much of each selected message is held in memory. */
class SelectedMessagesDbTest {

    private final JdbcDataSource dataSource = new JdbcDataSource();
    private Inbox inbox;

    @BeforeEach
    void park() {
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        inbox = Inbox.on(dataSource).createSchema().start();
        List<Message> all = List.of(Message.of("1", "OrderPlaced", "{}"), Message.of("2", "OrderPlaced", "{}"));
        inbox.handleAll("billing", all, ctx -> {
            throw HandlerException.park("a long text");
        });
    }

    @AfterEach
    void close() {
        inbox.close();
    }

    private SelectedMessages pick(boolean shown) {
        SelectedMessages selected = new SelectedMessages(inbox.admin(), MessageCommand.REDRIVE, 10, shown);
        selected.select("billing", Selection.of(new SelectionOptions(), "billing", Instant.EPOCH));
        return selected;
    }

    @Test
    void messagesAreHeldCompleteOnlyForOutput() {
        for (boolean shown : new boolean[] {true, false}) {
            SelectedMessages selected = pick(shown);

            assertThat(selected.all()).hasSize(shown ? 2 : 0);
            assertThat(selected.size()).isEqualTo(2);
            assertThat(selected.byConsumer().get("billing"))
                    .extracting(each -> each.id().id())
                    .containsExactly("1", "2");
        }
    }
}
