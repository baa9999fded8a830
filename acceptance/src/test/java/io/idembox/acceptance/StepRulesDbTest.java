// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerContext;
import io.idembox.InboxConfigurationException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Step;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryBy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where steps are refused, and what is refused inside them; told so that somebody can mend it. */
class StepRulesDbTest extends StepTest {

    @Test
    void theSameNameTwiceIsRefusedEvenIfTheHandlerGoesOn() {
        Bench one = bench(context -> {
            context.step("charge", () -> {});
            try {
                context.step("charge", () -> {
                    calls.add("again");
                });
            } catch (InboxConfigurationException swallowed) {
                effect(context, "end");
            }
        });
        one.store(message("1"));

        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);

        assertThat(calls).isEmpty();
        assertThat(effects()).isEmpty();
        assertThat(database.one("select error from idembox_entry")).contains("called twice", "charge-2");
    }

    @Test
    void aStepInsideAStepAndANamelessOneAreRefused() {
        Bench one = bench(context -> {
            if (context.id().id().equals("1")) {
                context.step("outer", () -> {
                    context.step("inner", () -> {});
                });
            } else {
                context.step(" ", () -> {});
            }
        });
        one.store(message("1"), message("2"));

        one.work();

        assertThat(steps()).isEmpty();
        assertThat(database.list("select error from idembox_entry order by arrival"))
                .satisfiesExactly(
                        first -> assertThat(first).contains("inner begins inside the step outer"),
                        second -> assertThat(second).contains("name has 1 to 200 printable characters"));
    }

    @Test
    void insideAStepTheHandlersOwnTransactionCannotBeUsed() {
        AtomicReference<Connection> before = new AtomicReference<>();
        List<Step.Work> misdeeds = new ArrayList<>();
        AtomicReference<HandlerContext> context = new AtomicReference<>();
        misdeeds.add(step -> effect(context.get(), "lost"));
        misdeeds.add(step -> before.get().prepareStatement("select 1").close());
        misdeeds.add(step -> context.get().later("insert into effect (id) values ('lost')"));
        misdeeds.add(step -> context.get().result("{}"));
        Bench one = bench(each -> {
            context.set(each);
            before.set(each.connection());
            int misdeed = Integer.parseInt(each.id().id());
            each.step("charge", step -> {
                try {
                    misdeeds.get(misdeed).run(step);
                } catch (SQLException | RuntimeException swallowed) {
                    assertThat(swallowed).hasMessageContaining("inside a step");
                }
            });
        });
        for (int i = 0; i < misdeeds.size(); i++) {
            one.store(message(String.valueOf(i)));
        }

        assertThat(one.work()).hasSize(4).extracting(Receipt::kind).containsOnly(Receipt.Kind.STORED);
        assertThat(effects()).isEmpty();
        assertThat(database.list("select error from idembox_entry"))
                .allSatisfy(error -> assertThat(error).contains("step.connection()"));
    }

    @Test
    void theConnectionOfAStepIsGuarded() {
        AtomicReference<Connection> kept = new AtomicReference<>();
        Bench one = bench(context -> context.step("charge", step -> {
            kept.set(step.connection());
            effect(context, step);
            try (PreparedStatement wrong = step.connection().prepareStatement("insert into nowhere values (1)")) {
                wrong.execute();
            } catch (SQLException swallowed) {
                if (context.attempt() == 2) {
                    throw swallowed;
                }
            }
            if (context.attempt() == 1) {
                step.connection().commit();
            }
        }));
        one.store(message("1"));

        one.work();
        one.work();

        assertThat(steps()).isEmpty();
        assertThat(effects()).isEmpty();
        assertThatThrownBy(() -> kept.get().prepareStatement("select 1")).isInstanceOf(SQLException.class);
    }

    @Test
    @Tag("slow")
    void aStepThatNeedsARowOfItsOwnHandlerIsToldSoAndDoesNotHang() {
        database.run("insert into effect (id, note) values ('account', '0')");
        Bench one = bench(context -> {
            execute(context, "update effect set note = 'handler' where id = 'account'");
            context.step("charge", step -> {
                try (PreparedStatement update =
                        step.connection().prepareStatement("update effect set note = 'step' where id = 'account'")) {
                    update.executeUpdate();
                }
            });
        });
        one.store(message("1"), message("2"));

        assertThat(one.work())
                .extracting(Receipt::kind)
                .containsExactlyInAnyOrder(Receipt.Kind.STORED, Receipt.Kind.BUSY);

        assertThat(database.list("select error from idembox_attempt"))
                .singleElement()
                .asString()
                .contains("waited for a lock in vain", "write it in the step");
        assertThat(database.list("select failures from idembox_entry order by failures"))
                .containsExactly("0", "1");
        assertThat(database.one("select note from effect")).isEqualTo("0");
    }

    @Test
    void stepsAreRefusedWhereNobodyWouldFindThemAgain() {
        InboxHandler step = context -> {
            try {
                context.step("charge", () -> {
                    calls.add("charge");
                });
            } catch (InboxConfigurationException swallowed) {
                assertThat(swallowed).hasMessageContainingAll("charge is refused", "Mode.STORED", "effectKey");
            }
        };
        assertThat(inbox.handle("direct", message("1"), step)
                        .failure()
                        .orElseThrow()
                        .message())
                .contains("in direct mode");
        assertThatThrownBy(() -> {
                    try (Connection connection = database.dataSource().getConnection()) {
                        connection.setAutoCommit(false);
                        inbox.handle(connection, "yours", message("1"), step);
                    }
                })
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("a transaction of yours");

        Bench directWithWorkers = new Bench(
                database,
                "one",
                clock,
                seen,
                STORED.mode(Mode.DIRECT).retry(STORED.retry().by(RetryBy.INBOX)),
                step);
        directWithWorkers.store(message("1"));
        directWithWorkers.work();
        assertThat(database.one("select error from idembox_entry where reason is null and owner = 'INBOX'"))
                .contains("in direct mode");
        assertThat(calls).isEmpty();
        assertThat(steps()).isEmpty();
    }

    @Test
    void stepsAreRefusedInBatchHandlers() {
        Bench one = new Bench(
                database.dataSource(),
                database.isH2(),
                "one",
                clock,
                seen,
                STORED,
                (Message message) -> new HandlerTask.Bulk(
                        (items, connection) -> {
                            for (var item : items) {
                                item.context().step("charge", () -> {
                                    calls.add("charge");
                                });
                            }
                        },
                        "payload"));
        one.store(message("1"));

        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);

        assertThat(calls).isEmpty();
        assertThat(database.one("select error from idembox_entry")).contains("a batch handler");
    }

    /** {@code () -> map.put(k, v)} is a call that answers null: it was made, and is not made again. */
    @Test
    void aCallThatAnswersNullIsKept() {
        Map<String, String> provider = new HashMap<>();
        List<String> answers = new ArrayList<>();
        Bench one = bench(context -> {
            answers.add(context.step("charge", () -> provider.put("charge", "made " + context.attempt())));
            if (context.attempt() == 1) {
                throw new IllegalStateException("after the step");
            }
        });
        one.store(message("1"));

        one.work();
        one.work();

        assertThat(provider).containsEntry("charge", "made 1");
        assertThat(answers).containsExactly(null, null);
        assertThat(steps()).containsExactly("charge");
        assertThat(database.count("idembox_entry")).isZero();
    }
}
