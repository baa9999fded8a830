// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The e-mail address in a violated constraint, or in a key, appears in no attempt, entry, log, receipt or event. */
class LeakDbTest extends DatabaseTest {

    private static final String EMAIL = "jane.roe@example.org";

    @BeforeEach
    void customers() {
        database.run(
                "create table customer (email varchar(100) primary key, age int check (age > 0))",
                "insert into customer values ('" + EMAIL + "', 30)");
    }

    @Test
    void valuesOfAViolatedConstraintStayInTheDatabase() {
        List<String> told = new ArrayList<>();
        String logged = capturingTheLog(() -> {
            told.addAll(describe(inbox.handle("direct", message("1"), context -> execute(context, insert()))));
            told.addAll(describe(inbox.handle("wrapped", message("1"), context -> {
                try {
                    execute(context, insert());
                } catch (SQLException error) {
                    throw new IllegalStateException("saving " + error.getMessage(), error);
                }
            })));
            told.addAll(describe(inbox.handle("later", message("1"), context -> {
                context.later("insert into customer values (?, ?)", "someone@example.org", 20);
                context.later("insert into customer values (?, ?)", EMAIL, 20);
            })));
            List<Message> three = List.of(message("1"), message("2"), message("3"));
            inbox.handleAll(
                            "batch",
                            three,
                            context -> context.later(
                                    "insert into customer values (?, ?)",
                                    context.id().id().equals("2")
                                            ? EMAIL
                                            : context.id().id(),
                                    20))
                    .forEach(receipt -> told.addAll(describe(receipt)));
        });

        told.addAll(database.list("select coalesce(error, '') || coalesce(stack_trace, '') from idembox_attempt"));
        told.addAll(database.list("select coalesce(error, '') from idembox_entry"));
        events.forEach(event -> told.add(event.toString()));
        told.add(logged);
        assertThat(database.count("idembox_attempt")).isEqualTo(4);
        assertThat(told).noneMatch(text -> text.contains("jane") || text.contains("example.org"));
        assertThat(database.list("select sql_state from idembox_attempt")).containsOnly("23505");
        assertThat(database.list("select lower(error) from idembox_attempt"))
                .as("the constraint is named")
                .allMatch(text -> text.contains("customer") || text.contains("primary"));
    }

    @ParameterizedTest
    @EnumSource
    void keysStayInTheDatabaseWhenMessagesOfThemAreMissing(SequencePolicy.OnGap onGap) {
        ManualClock clock = ManualClock.create();
        Seen seen = new Seen();
        SequencePolicy sequence = new SequencePolicy(
                SequenceNumber.header("version"),
                null,
                Duration.ofMinutes(5),
                onGap,
                onGap == SequencePolicy.OnGap.REFETCH
                        ? gap -> {
                            assertThat(gap.key()).isEqualTo(EMAIL);
                            throw new IllegalStateException("nobody has it");
                        }
                        : null);
        Bench one = new Bench(
                database,
                "one",
                clock,
                seen,
                ConsumerPolicy.defaults()
                        .mode(Mode.STORED)
                        .ordering(Ordering.HOLD)
                        .sequence(sequence),
                DatabaseTest::effect);
        String logged = capturingTheLog(() -> {
            one.store(message("1").keyed(EMAIL).header("version", "1"));
            one.work();
            one.store(message("4").keyed(EMAIL).header("version", "4"));
            clock.advance(Duration.ofMinutes(6));
            assertThat(one.gaps().look()).isEqualTo(1);
        });

        assertThat(logged)
                .contains("Key number " + database.one("select key_id from idembox_key"), "is missing 2 to 3");
        List<String> told = new ArrayList<>(List.of(logged));
        seen.all(InboxEvent.class).forEach(event -> told.add(event.toString()));
        told.addAll(database.list("select coalesce(error, '') from idembox_entry"));
        assertThat(told).noneMatch(text -> text.contains("jane") || text.contains("example.org"));
        assertThat(seen.all(InboxEvent.GapTimedOut.class))
                .extracting(event -> event.gap().key())
                .containsExactly(EMAIL);
    }

    private static String insert() {
        return "insert into customer values ('" + EMAIL + "', 20)";
    }

    private static List<String> describe(Receipt receipt) {
        assertThat(receipt.kind()).isIn(Receipt.Kind.FAILED, Receipt.Kind.COMPLETED);
        return List.of(
                receipt.toString(),
                receipt.failure().map(Object::toString).orElse(""),
                receipt.reason().orElse(""));
    }

    private static String capturingTheLog(Runnable work) {
        try (Overheard log = new Overheard()) {
            work.run();
            return log.text();
        }
    }
}
