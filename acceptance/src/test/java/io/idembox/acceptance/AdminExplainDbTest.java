// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.id;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.InboxHandler;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What is said about a message in each of its states, and never what is in it. */
class AdminExplainDbTest extends DatabaseTest {

    private static final String SECRET = "4111-1111-1111-1111";

    private static final ConsumerPolicy HOLD = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .retry(RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));

    private final ManualClock clock = ManualClock.create();
    private final AtomicReference<RuntimeException> thrown = new AtomicReference<>();

    private final InboxHandler handler = context -> {
        RuntimeException error = thrown.get();
        if (error != null) {
            throw error;
        }
        effect(context);
    };

    private AdminBench bench(ConsumerPolicy policy) {
        return new AdminBench(database, clock, policy, handler);
    }

    private static String explain(AdminBench bench, String id) {
        String text = bench.admin.explain("billing", id(id)).toString();
        assertThat(text).doesNotContain(SECRET);
        return text;
    }

    private static io.idembox.Message secret(String id) {
        return message(id).payload(Payload.json("{\"card\":\"" + SECRET + "\"}"));
    }

    @Test
    void oneThatIsDue() {
        AdminBench bench = bench(HOLD);
        bench.node.store(secret("1"));

        assertThat(explain(bench, "1"))
                .isEqualTo(
                        "/orders/1 (OrderPlaced) was received by consumer billing at 2026-01-01T12:00:00Z and is RECEIVED. No"
                                + " attempt has failed yet. It is due: the next free worker handles it. No action is needed.");
    }

    @Test
    void oneThatWaitsAndForWhom() {
        AdminBench bench = bench(HOLD);
        bench.node.store(
                secret("1").keyed("a"), secret("2").keyed("a"), secret("3").keyed("a"));

        assertThat(explain(bench, "3"))
                .contains("with key a", "is WAITING", "It waits for /orders/1 of the same key, which is RECEIVED.")
                .contains("When that message is finished, this one is released.");
        thrown.set(HandlerException.park("look at it"));
        bench.node.work();
        assertThat(explain(bench, "3"))
                .contains(
                        "It waits for /orders/1 of the same key, which is PARKED.",
                        "It waits until an operator redrives or discards that message, which holds its key (ordering: hold).");
        assertThat(explain(bench, "1"))
                .contains("is PARKED (HANDLER)", "Its handler parked it", "It holds later messages of its key.");
    }

    @Test
    void oneWhoseConsumerIsPausedAndByWhom() {
        AdminBench bench = bench(HOLD);
        String still = "Consumer billing is paused on all nodes: anna paused it: because lunch. Resume the consumer to"
                + " continue.";
        bench.node.store(secret("f"));
        thrown.set(new IllegalStateException("the bank is closed"));
        bench.node.work();
        thrown.set(HandlerException.park("look at it"));
        bench.node.store(secret("p"));
        bench.node.work();
        bench.node.store(secret("r").keyed("a"), secret("w").keyed("a"));
        bench.admin.redrive(bench.select("f"), operation("again"));
        bench.admin.pause("billing", operation("lunch"));

        assertThat(explain(bench, "r")).contains("is RECEIVED", still).doesNotContain("No action is needed");
        assertThat(explain(bench, "w")).contains("is WAITING", still).doesNotContain("No action is needed");
        assertThat(explain(bench, "f")).contains("is FAILED_RETRYABLE", still);
        assertThat(explain(bench, "p")).contains("is PARKED").doesNotContain("is paused");

        bench.admin.resume("billing", operation("back"));
        assertThat(explain(bench, "r")).contains("No action is needed").doesNotContain("is paused");
    }

    @Test
    void oneThatIsWorkedOn() {
        AdminBench bench = bench(HOLD);
        bench.node.store(secret("1"));
        bench.node.claim(1, 10);

        assertThat(explain(bench, "1"))
                .contains(
                        "is IN_PROGRESS",
                        "Node node is handling it, under a lease until 2026-01-01T12:00:30Z",
                        "Until then commands do not change the message.");
    }

    @Test
    void oneThatIsTriedAgain() {
        AdminBench bench = bench(HOLD);
        bench.node.store(secret("1"));
        thrown.set(new IllegalStateException("the bank is closed"));
        bench.node.work();

        assertThat(explain(bench, "1"))
                .contains(
                        "is FAILED_RETRYABLE",
                        "1 attempt failed:",
                        "Attempt 1 at 2026-01-01T12:00:00Z on node: java.lang.IllegalStateException: the bank is closed.",
                        "The next attempt is due at 2026-01-01T12:00:00Z",
                        "(1 of 2 attempts used)");
    }

    @Test
    void oneThatRedeliveryBringsAgain() {
        AdminBench bench = bench(ConsumerPolicy.defaults().retry(HOLD.retry().by(RetryBy.REDELIVERY)));
        thrown.set(new IllegalStateException("the bank is closed"));
        bench.node.receiver.receive(List.of(secret("1")), message -> new HandlerTask.Single(handler));

        assertThat(explain(bench, "1"))
                .contains(
                        "/orders/1 (a message)",
                        "the redelivery tries again (1 of 2 attempts used).",
                        "Its payload is not stored here, so it cannot be redriven.");
    }

    @Test
    void oneAtTheCap() {
        AdminBench bench = bench(HOLD);
        bench.node.store(secret("1"));
        thrown.set(new IllegalStateException("the bank is closed"));
        bench.node.work();
        bench.node.work();

        assertThat(explain(bench, "1"))
                .contains(
                        "is FAILED_TERMINAL",
                        "2 attempts failed",
                        "It reached the limit of 2 attempts (retry.max-attempts)",
                        "It stays in this state until an operator redrives or discards it",
                        "Fix the cause, then redrive it; or discard it.");
    }

    @Test
    void oneWhoseErrorDoesNotPass() {
        AdminBench bench = bench(HOLD);
        bench.node.store(secret("1"));
        thrown.set(new UnsupportedOperationException("no"));
        bench.node.work();

        assertThat(explain(bench, "1"))
                .contains("Its error is PERMANENT: a retry would fail again, so it is not retried.");
    }

    @Test
    void oneThatEndedProcesses() {
        AdminBench bench = bench(HOLD);
        bench.node.store(secret("1"));
        for (int crash = 1; crash <= 3; crash++) {
            bench.node.claim(1, 10);
            clock.advance(Bench.LEASE.plusSeconds(1));
            bench.node.reap();
            if (crash == 2) {
                assertThat(explain(bench, "1"))
                        .contains(
                                "Its worker crashed or its lease expired twice; it now runs alone, and the next time parks it.");
            }
        }

        assertThat(explain(bench, "1"))
                .contains(
                        "is PARKED (CRASH)",
                        "Its worker crashed or its lease expired 3 times: it may kill the process");
    }

    @Test
    void oneThatSomebodyTouched() {
        AdminBench bench = bench(HOLD.ordering(Ordering.SKIP_PARKED));
        bench.node.store(secret("1").keyed("a"));
        bench.admin.park(bench.select("1"), operation("op-1"));
        assertThat(explain(bench, "1"))
                .contains(
                        "It was parked by anna at 2026-01-01T12:00:00Z (operation op-1): because op-1.",
                        "An operator parked it.",
                        "Later messages of its key pass it.",
                        "Redrive it to continue, or discard it.");

        clock.advance(Duration.ofSeconds(1));
        bench.admin.discard(bench.select("1"), operation("op-2"));
        assertThat(explain(bench, "1"))
                .contains(
                        "is DISCARDED",
                        "(operation op-2)",
                        "Another delivery of it is answered DUPLICATE",
                        "Restore it to undo this");

        clock.advance(Duration.ofSeconds(1));
        bench.admin.restore(bench.select("1"), operation("op-3"));
        assertThat(explain(bench, "1"))
                .contains("is PARKED (RESTORED)", "An operator restored it after it had been discarded");

        clock.advance(Duration.ofSeconds(1));
        bench.admin.redrive(bench.select("1"), operation("op-4"));
        assertThat(explain(bench, "1"))
                .contains("is RECEIVED (REDRIVEN)", "(operation op-4)")
                .doesNotContain("op-1");
        bench.node.work();
        assertThat(explain(bench, "1"))
                .contains("is COMPLETED", "It was completed at 2026-01-01T12:00:03Z.", "No action is needed");
    }

    @Test
    void oneWithTwoPayloads() {
        AdminBench bench = bench(HOLD);
        bench.node.store(secret("1"));
        bench.node.work();
        bench.node.store(message("1"));

        assertThat(explain(bench, "1"))
                .contains(
                        "is COMPLETED",
                        "A conflicting payload under the id /orders/1 (OrderPlaced, arrival ",
                        "is PARKED (CONFLICT)",
                        "Find out why the producer used the id twice.",
                        "Redrive it to handle it as a message of its own, or discard it.");
    }

    @Test
    void oneWithVeryManyPayloads() {
        AdminBench bench = bench(HOLD);
        bench.node.store(secret("1"));
        for (int i = 1; i <= 13; i++) {
            clock.advance(Duration.ofSeconds(1));
            bench.node.store(message("1").payload(Payload.json("[" + i + "]")));
        }

        String text = explain(bench, "1");
        assertThat(text)
                .contains("3 earlier payloads that conflict with it are not explained here; list the id to see them.")
                .contains("at 2026-01-01T12:00:04Z and is PARKED", "at 2026-01-01T12:00:13Z and is PARKED")
                .doesNotContain("at 2026-01-01T12:00:03Z and is PARKED");
        assertThat(text.split("A conflicting payload under the id", -1)).hasSize(11);
    }

    @Test
    void aPayloadThatConflictsCameWhenItCameWhateverWasDoneToIt() {
        AdminBench bench = bench(HOLD);
        bench.node.store(secret("1"));
        clock.advance(Duration.ofSeconds(1));
        bench.node.store(message("1"));
        clock.advance(Duration.ofSeconds(1));
        bench.admin.discard(bench.select("1").stream().skip(1).toList(), operation("not that one"));

        assertThat(explain(bench, "1"))
                .contains("was received by consumer billing at 2026-01-01T12:00:01Z and is DISCARDED")
                .contains("It was discarded by anna at 2026-01-01T12:00:02Z");
        assertThat(database.list("select count(*) from idembox_inbox i join idembox_ledger l on l.arrival = i.original"
                        + " where i.received_at > l.received_at and i.status = 'DISCARDED'"
                        + " and i.received_at < (select max(changed_at) from idembox_entry)"))
                .containsExactly("1");
    }

    @Test
    void oneThatNobodyKnows() {
        AdminBench bench = bench(HOLD);

        assertThat(explain(bench, "1")).startsWith("/orders/1 is unknown to consumer billing.");
    }

    @Test
    void oneForWhichThisNodeHasNoHandler() {
        AdminBench bench = bench(HOLD);
        bench.node.store(secret("1"));
        var stranger = bench.admin(database, database.dataSource(), clock, Optional.empty());

        assertThat(stranger.explain("billing", id("1")).toString())
                .contains("This needs a running node with a handler registered by"
                        + " subscribe(\"billing\").on(...).start(); this node has none.");
        thrown.set(HandlerException.park("look at it"));
        bench.node.work();
        assertThat(stranger.explain("billing", id("1")).toString()).contains("A redrive needs a running node");
    }

    @Test
    void anAdHocConsumerHasNobodyWhoRunsARedrive() {
        inbox.handle("mail", secret("1"), context -> {
            throw HandlerException.park("look at it");
        });

        assertThat(inbox.admin().explain("mail", id("1")).toString())
                .contains("is PARKED (HANDLER)", "A redrive needs a running node with a handler registered");
        assertThat(inbox.handle("mail", secret("1"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.FAILED);
    }
}
