// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code later} at batch 100 gives exactly what batch 1 gives. */
class DeferredWritesDbTest extends DatabaseTest {

    @BeforeEach
    void accounts() {
        database.run(
                "create table account (id varchar(20) primary key, cents int not null check (cents >= 0))",
                "create table journal (nr int, account varchar(20), line varchar(200))");
    }

    private void openAccounts(int cents) {
        database.run("delete from account", "delete from journal");
        for (String id : List.of("a", "b", "c")) {
            database.run("insert into account values ('" + id + "', " + cents + ")");
        }
    }

    /** What batch 1 leaves behind, then what one batch of all leaves behind. */
    private void assertBatchEqualsOneByOne(List<Message> messages, int cents, InboxHandler handler) {
        openAccounts(cents);
        List<Receipt.Kind> single = new ArrayList<>();
        messages.forEach(
                each -> single.add(inbox.handle("single", each, handler).kind()));
        List<String> expected = state();

        openAccounts(cents);
        List<Receipt.Kind> batch = inbox.handleAll("batch", messages, handler).stream()
                .map(Receipt::kind)
                .toList();

        assertThat(state()).isEqualTo(expected);
        assertThat(batch).isEqualTo(single);
    }

    private List<String> state() {
        List<String> state = new ArrayList<>(database.list("select id || '=' || cents from account order by id"));
        state.addAll(
                database.list("select account || ':' || nr || ':' || line from journal order by account, nr, line"));
        return state;
    }

    @Test
    void interleavedKeysEndAsTheyWouldOneByOne() {
        List<Message> messages = IntStream.range(0, 100)
                .mapToObj(i -> message("m" + i).keyed(i % 2 == 0 ? "a" : "b"))
                .toList();

        assertBatchEqualsOneByOne(messages, 0, context -> {
            int nr = number(context);
            String account = context.message().key().orElseThrow();
            // An assignment and a doubling do not commute: order within the key decides the end.
            if (nr % 3 == 0) {
                context.later("update account set cents = ? where id = ?", nr, account)
                        .expect(1);
            } else {
                context.later("update account set cents = mod(cents * 2 + ?, 1000) where id = ?", nr, account)
                        .expect(1);
            }
            context.later("insert into journal values (?, ?, ?)", nr, account, "booked");
        });
    }

    @Test
    void anOverdraftFailsTheSameMessagesAsOneByOne() {
        Random random = new Random(7);
        List<Message> messages = IntStream.range(0, 100)
                .mapToObj(i -> message("m" + i + "-" + random.nextInt(40)))
                .toList();

        assertBatchEqualsOneByOne(messages, 900, context -> {
            int amount = Integer.parseInt(context.id().id().split("-", -1)[1]);
            context.later("update account set cents = cents - ? where id = 'a'", amount)
                    .expect(1);
        });
        assertThat(database.one("select cents from account where id = 'a'")).isNotEqualTo("900");
    }

    @Test
    void aReadSeesTheWritesPutOffBefore() {
        List<Message> messages = IntStream.range(0, 50)
                .mapToObj(i -> message("m" + i).keyed("a"))
                .toList();

        assertBatchEqualsOneByOne(messages, 0, context -> {
            int nr = number(context);
            context.later("update account set cents = cents + 1 where id = 'a'");
            if (nr % 7 == 0) {
                context.later("insert into journal values (?, 'a', ?)", nr, "saw " + balance(context));
            }
        });
        assertThat(database.list("select line from journal where nr = 49")).containsExactly("saw 50");
    }

    @Test
    void oneFailingRowInThreeHundredIsPinnedToItsMessage() {
        openAccounts(10_000);
        List<Message> messages =
                IntStream.range(0, 300).mapToObj(i -> message("m" + i)).toList();

        List<Receipt> receipts = inbox.handleAll("billing", messages, context -> {
            int nr = number(context);
            context.later("update account set cents = cents - ? where id = 'b'", nr == 123 ? 1_000_000 : 1);
        });

        for (int nr = 0; nr < 300; nr++) {
            assertThat(receipts.get(nr).kind()).isEqualTo(nr == 123 ? Receipt.Kind.FAILED : Receipt.Kind.COMPLETED);
        }
        assertThat(database.one("select cents from account where id = 'b'")).isEqualTo("9701");
        assertThat(database.list("select message_id from idembox_inbox where status <> 'COMPLETED'"))
                .containsExactly("m123");
    }

    @Test
    void aFlushErrorBelongsToWhoPutTheWriteOffNotToWhoReads() {
        openAccounts(0);

        List<Receipt> receipts =
                inbox.handleAll("billing", List.of(message("m1"), message("m2"), message("m3")), context -> {
                    if (number(context) == 1) {
                        context.later("update account set cents = cents - 5 where id = 'a'");
                    } else {
                        balance(context);
                        effect(context);
                    }
                });

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.FAILED, Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("m2", "m3");
    }

    @Test
    void aWrongRowCountFailsOnlyItsMessage() {
        openAccounts(5);

        List<Receipt> receipts = inbox.handleAll(
                "billing",
                List.of(message("m1"), message("m2")),
                context -> context.later(
                                "update account set cents = 1 where id = ?", number(context) == 1 ? "a" : "nobody")
                        .expect(1));

        assertThat(receipts).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.FAILED);
        assertThat(receipts.get(1).failure().orElseThrow().message()).contains("Expected 1 changed rows, found 0");
    }

    private static int number(HandlerContext context) {
        return Integer.parseInt(context.id().id().substring(1).split("-", -1)[0]);
    }

    private static int balance(HandlerContext context) throws SQLException {
        try (PreparedStatement query =
                        context.connection().prepareStatement("select cents from account where id = 'a'");
                ResultSet rows = query.executeQuery()) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
