// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxHandler;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.event.InboxEvent;
import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.FaultyDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What a step did is done once, kept with its result, and kept only by whoever still has the message. */
class StepsDbTest extends StepTest {

    private static final Duration TOO_LONG = Bench.LEASE.plusSeconds(1);

    private Bench other(InboxHandler handler) {
        return new Bench(database, "two", clock, seen, STORED, handler);
    }

    private List<String> notes() {
        return database.list("select note from effect order by note");
    }

    /** The call with which the first step of the message that was just worked on looks for what is finished. */
    private static int numberOfLook(FaultyDataSource process) {
        int look = number(process, 0, call -> call.site().contains("StepStore"));
        return process.steps().stream()
                .filter(call -> call.number() < look && call.what().equals("connect"))
                .reduce((first, second) -> second)
                .orElseThrow()
                .number();
    }

    /** The call that commits it. */
    private static int numberOfCommit(FaultyDataSource process) {
        int insert = number(process, 0, call -> call.site().contains("StepStore.insert"));
        return number(process, insert, io.idembox.testkit.fault.Step::commits);
    }

    private static int number(FaultyDataSource process, int after, Predicate<io.idembox.testkit.fault.Step> wanted) {
        return process.steps().stream()
                .filter(call -> call.number() > after && wanted.test(call))
                .findFirst()
                .orElseThrow()
                .number();
    }

    @Test
    void aFinishedStepIsNotRepeatedAndReturnsWhatItReturned() throws Exception {
        List<String> receipts = new ArrayList<>();
        Bench one = bench(context -> {
            receipts.add(context.step("charge", () -> {
                calls.add("charge");
                return "receipt " + calls.size();
            }));
            if (context.attempt() == 1) {
                throw new IllegalStateException("after the first step");
            }
            context.step("mail", () -> {
                calls.add("mail");
            });
            Payload kept = context.step("book", step -> {
                effect(context, step);
                step.result(Payload.of(new byte[] {0, 1}, "application/x-own"));
            });
            assertThat(kept).isEqualTo(Payload.of(new byte[] {0, 1}, "application/x-own"));
            if (context.attempt() == 2) {
                throw new IllegalStateException("after the last step");
            }
            effect(context, "end");
        });
        one.store(message("1"));

        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        assertThat(steps()).containsExactly("charge");
        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);

        assertThat(receipts).containsExactly("receipt 1", "receipt 1", "receipt 1");
        assertThat(calls).containsExactly("charge", "mail");
        assertThat(steps()).containsExactly("book", "charge", "mail");
        assertThat(notes()).containsExactly("book", "end");
        assertThat(database.one("select node || ' ' || result_type from idembox_step where name = 'charge'"))
                .isEqualTo("one text/plain");
    }

    @Test
    void stepIsFinishedWithoutTheLocalSettingsOfItsWork() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no settings of a transaction");
        Bench one = bench(context -> context.step("charge", step -> {
            effect(context, step);
            step.connection().createStatement().execute("set local app.tenant = 'A'");
        }));
        database.run("alter table idembox_step add tenant text default current_setting('app.tenant', true)");
        one.store(message("1"));

        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        assertThat(database.list("select name || ' ' || tenant from idembox_step"))
                .containsExactly("charge ");
        assertThat(notes()).containsExactly("charge");
    }

    @Test
    void whatAStepThrowsUndoesItAndReachesTheHandler() {
        Bench one = bench(context -> {
            assertThatThrownBy(() -> context.step("charge", step -> {
                        effect(context, step);
                        throw new IllegalArgumentException("declined");
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
            context.step("decline", step -> effect(context, step));
        });
        one.store(message("1"));

        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);

        assertThat(steps()).containsExactly("decline");
        assertThat(notes()).containsExactly("decline");
    }

    @Test
    void theProcessDiesBetweenAStepAndItsCommitAndTheStepIsDoneAgainWithTheSameKey() {
        List<String> keys = new ArrayList<>();
        InboxHandler handler = context -> context.step("charge", step -> {
            keys.add(step.key());
            effect(context, step);
        });
        FaultyDataSource process = FaultyDataSource.around(database.dataSource());
        Bench dying = new Bench(process, database.isH2(), "one", clock, seen, STORED, handler);
        dying.store(message("1"));
        process.record();
        dying.work();
        int commit = numberOfCommit(process);
        dying.store(message("2"));
        process.inject(FaultPlan.before(commit, Fault.GONE));

        assertThatThrownBy(dying::work).isInstanceOf(io.idembox.testkit.fault.ProcessGone.class);
        assertThat(steps()).hasSize(1);
        clock.advance(TOO_LONG);
        Bench next = other(handler);
        next.reap();
        next.work();

        assertThat(steps()).containsExactly("charge", "charge");
        assertThat(effects()).containsExactly("1", "2");
        assertThat(keys).hasSize(3);
        assertThat(keys.get(2)).isEqualTo(keys.get(1)).isNotEqualTo(keys.get(0));
    }

    @Test
    void theCommitOfAStepIsUnknownAndTheNextAttemptFindsOutAndNobodyPays() {
        AtomicInteger runs = new AtomicInteger();
        InboxHandler handler = context -> {
            context.step("charge", step -> {
                runs.incrementAndGet();
                effect(context, step);
            });
            effect(context, "end");
        };
        FaultyDataSource process = FaultyDataSource.around(database.dataSource());
        Bench one = new Bench(process, database.isH2(), "one", clock, seen, STORED, handler);
        one.store(message("1"));
        process.record();
        one.work();
        int commit = numberOfCommit(process);
        one.store(message("2"));
        process.inject(FaultPlan.after(commit, Fault.CONNECTION_LOST));

        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.BUSY);
        assertThat(seen.count(event -> event instanceof InboxEvent.CommitUnknown))
                .isEqualTo(1);
        assertThat(database.one("select failures + crashes from idembox_entry")).isEqualTo("0");
        process.record();
        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);

        assertThat(runs).hasValue(2);
        assertThat(notes()).containsExactly("charge", "charge", "end", "end");
    }

    @Test
    void whoLostTheLeaseFinishesNoStep() {
        Bench two = other(context -> {
            context.step("charge", step -> effect(context, step));
            effect(context, "end");
        });
        Bench one = bench(context -> {
            context.step("charge", step -> {
                effect(context, step);
                // Frozen here for longer than the lease, while somebody else takes over and finishes.
                clock.advance(TOO_LONG);
                two.reap();
                two.work();
            });
            calls.add("went on");
        });
        one.store(message("1"));

        List<Receipt> receipts = one.work();

        assertThat(receipts).extracting(Receipt::kind).containsExactly(Receipt.Kind.BUSY);
        assertThat(calls).isEmpty();
        assertThat(notes()).containsExactly("charge", "end");
        assertThat(database.list("select node from idembox_step")).containsExactly("two");
        assertThat(seen.count(event -> event instanceof InboxEvent.OwnershipLost))
                .isEqualTo(1);
        assertThat(database.one("select attempts from idembox_outcome")).isEqualTo("2");
    }

    @Test
    void whoLostTheLeaseCannotHideItEither() {
        Bench one = bench(context -> {
            try {
                context.step("charge", step -> {
                    effect(context, step);
                    clock.advance(TOO_LONG);
                    other(ignored -> {}).reap();
                });
            } catch (RuntimeException swallowed) {
                effect(context, "end");
            }
        });
        one.store(message("1"));

        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.BUSY);

        assertThat(steps()).isEmpty();
        assertThat(effects()).isEmpty();
        assertThat(database.list("select error_class from idembox_attempt")).containsExactly("LeaseExpired");
    }

    @Test
    void nobodyTakesTheLeaseAwayWhileAStepIsBeingCommitted() {
        FaultyDataSource process = FaultyDataSource.around(database.dataSource());
        InboxHandler handler = context -> context.step("charge", step -> effect(context, step));
        Bench one = new Bench(process, database.isH2(), "one", clock, seen, STORED, handler);
        one.store(message("1"));
        process.record();
        one.work();
        int commit = numberOfCommit(process);
        one.store(message("2"));
        List<Integer> reaped = new ArrayList<>();
        process.inject(
                FaultPlan.before(commit, Fault.PAUSED),
                () -> {
                    clock.advance(TOO_LONG);
                    reaped.add(other(handler).reap().size());
                },
                Duration.ofSeconds(30));

        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);

        assertThat(process.awaitPauseTask()).isTrue();
        assertThat(reaped).containsExactly(0);
        assertThat(effects()).containsExactly("1", "2");
    }

    @Test
    void aBatchThatIsRunAgainFindsTheStepsItHasFinished() {
        Bench one = bench(context -> {
            context.step("charge", () -> {
                calls.add(context.id().id());
            });
            if (context.id().id().equals("3")) {
                throw new IllegalStateException("not this one");
            }
            effect(context, "end");
        });
        one.store(message("1"), message("2"), message("3"), message("4"));

        assertThat(one.work())
                .extracting(Receipt::kind)
                .containsExactlyInAnyOrder(
                        Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED, Receipt.Kind.STORED, Receipt.Kind.COMPLETED);

        assertThat(calls).containsExactly("1", "2", "3", "4");
        assertThat(effects()).containsExactly("1", "2", "4");
    }

    @Test
    void withoutASecondConnectionNobodyPaysAndItIsSaid() {
        FaultyDataSource process = FaultyDataSource.around(database.dataSource());
        Bench one = new Bench(
                process,
                database.isH2(),
                "one",
                clock,
                seen,
                STORED,
                Bench.jobs(context -> context.step("charge", () -> {
                    calls.add("charge");
                })));
        one.store(message("1"));
        process.record();
        one.work();
        int second = numberOfLook(process);
        one.store(message("2"));
        process.inject(FaultPlan.before(second, Fault.sqlError("53300")));

        assertThatThrownBy(one::work)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("twice as large as work.workers");

        assertThat(calls).containsExactly("charge");
        assertThat(database.one("select failures + crashes from idembox_entry")).isEqualTo("0");
        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
    }

    @Test
    void stepsAreForgottenWithTheirMessage() {
        Bench one = bench(context -> {
            context.step("charge", () -> {});
            if (context.id().id().equals("2")) {
                throw new IllegalStateException("not yet");
            }
        });
        one.store(message("1"), message("2"));
        one.work();
        assertThat(steps()).hasSize(2);

        clock.advance(Duration.ofDays(2));

        assertThat(one.retention
                        .purge(one.receiver.consumer(), Duration.ofDays(1), 10)
                        .count())
                .isEqualTo(1);
        assertThat(steps()).hasSize(1);
        assertThat(database.one("select s.arrival - e.arrival from idembox_step s cross join idembox_entry e"))
                .isEqualTo("0");
    }
}
