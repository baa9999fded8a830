// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.Receipt;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The e-mail address in a violated constraint appears in no attempt, entry, log, receipt or event. */
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
        PrintStream usual = System.err;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            work.run();
        } finally {
            System.setErr(usual);
        }
        return captured.toString(StandardCharsets.UTF_8);
    }
}
