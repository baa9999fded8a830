// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Command;
import io.idembox.admin.DeadLetter;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Status;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.FaultyDataSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A connection that is lost at any statement of an operator call is a {@link StoreUnavailableException}, never an internal exception. */
class AdminOutageDbTest extends DatabaseTest {

    private static final String CONSUMER = "billing";
    private static final MessageId PARKED = new MessageId("/orders", "p1");
    private static final List<Fault> FAULTS = List.of(Fault.CONNECTION_LOST, Fault.sqlError("55P03"));

    private int operations;

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.consumer(
                CONSUMER,
                ConsumerPolicy.defaults()
                        .mode(Mode.STORED)
                        .recording(Recording.FULL)
                        .ordering(Ordering.HOLD)
                        .retry(RetryPolicy.defaults().by(RetryBy.INBOX))
                        .replay(Replay.NO_EFFECTS));
    }

    private Operation operation() {
        return new Operation("op-" + ++operations, "anna", "an outage");
    }

    private static List<MessageRef> parked(InboxAdmin admin) {
        return admin.preview(
                        Filter.of(CONSUMER)
                                .status(
                                        Status.PARKED,
                                        Status.FAILED_RETRYABLE,
                                        Status.WAITING,
                                        Status.RECEIVED,
                                        Status.DISCARDED),
                        10)
                .refs();
    }

    private static Message dead(String id) {
        return message(id).keyed("a");
    }

    /** Every call of the public operator API. A call prepares what it needs on the other inbox, which has no faults. */
    private Map<String, Consumer<Inbox>> calls() {
        Map<String, Consumer<Inbox>> calls = new LinkedHashMap<>();
        calls.put("consumers", on -> on.admin().consumers());
        calls.put("find", on -> on.admin().find(CONSUMER, PARKED));
        calls.put("look", on -> on.admin().list(Filter.of(CONSUMER), Page.first(10)));
        calls.put("count", on -> on.admin().count(Filter.of(CONSUMER), 10));
        calls.put("groups", on -> on.admin().failureGroups(Filter.of(CONSUMER), 10));
        calls.put("lag", on -> on.admin().lag(CONSUMER));
        InboxMessage known = inbox.admin().find(CONSUMER, PARKED).orElseThrow();
        calls.put("attempts", on -> on.admin().attempts(known));
        calls.put("operations", on -> on.admin().operations(known));
        calls.put("note", on -> on.admin().note(CONSUMER, new UUID(1, 2), "known", operation()));
        calls.put("explain", on -> on.admin().explain(CONSUMER, PARKED));
        calls.put("preview", on -> on.admin().preview(Filter.of(CONSUMER), 10));
        calls.put("paused", on -> on.admin().paused(CONSUMER));
        calls.put("payload", on -> on.admin().payload(CONSUMER, PARKED, operation()));
        calls.put("pause", on -> on.admin().pause(CONSUMER, operation()));
        calls.put("resume", on -> on.admin().resume(CONSUMER, operation()));
        List<MessageRef> seen = parked(inbox.admin());
        calls.put("redrive", on -> on.admin().redrive(seen, operation()));
        calls.put("park", on -> on.admin().park(seen, operation()));
        calls.put("discard", on -> on.admin().discard(seen, operation()));
        calls.put("restore", on -> on.admin().restore(seen, operation()));
        calls.put("edit", on -> on.admin().edit(seen.get(0), Payload.json("{}"), operation()));
        calls.put(
                "adopt",
                on -> on.admin()
                        .importDeadLetters(
                                CONSUMER, List.of(new DeadLetter(dead("d" + ++operations), "X", "it failed", null))));
        calls.put("audit.after", on -> on.audit().after(0, 10));
        calls.put("audit.head", on -> on.audit().head());
        calls.put("audit.verify", on -> on.audit().verify(List.of(), List.of()));
        calls.put("campaigns.plan", on -> plan(on, operation()));
        calls.put("campaigns.latest", on -> on.admin().campaigns().latest(10));
        calls.put("campaigns.find", on -> on.admin().campaigns().find("none"));
        calls.put("campaigns.start", on -> on.admin().campaigns().start(plan(inbox, operation()), operation()));
        calls.put("campaigns.cancel", on -> on.admin().campaigns().cancel(plan(inbox, operation()), operation()));
        calls.put("campaigns.advance", on -> on.admin().campaigns().advance(started()));
        if (isPostgres()) {
            calls.put("replays.plan", on -> planReplay(on, operation()));
            calls.put(
                    "replays.start",
                    on -> on.admin()
                            .replays()
                            .start(
                                    planReplay(inbox, operation()),
                                    operation(),
                                    connection -> connection.createStatement().close()));
        }
        return calls;
    }

    private static String plan(Inbox on, Operation operation) {
        Filter all = Filter.of(CONSUMER).status(Status.PARKED, Status.DISCARDED);
        return on.admin()
                .campaigns()
                .plan(Command.DISCARD, all, CampaignOptions.defaults(), operation)
                .id();
    }

    private static String planReplay(Inbox on, Operation operation) {
        return on.admin()
                .replays()
                .plan(ReplayRange.of(CONSUMER), CampaignOptions.defaults(), operation)
                .id();
    }

    private String started() {
        Campaign campaign = inbox.admin().campaigns().start(plan(inbox, operation()), operation());
        return campaign.id();
    }

    @Test
    void aFaultAtSomeStatementsOfAnyOperatorCallIsStoreUnavailable() {
        breakStatements(20);
    }

    @Test
    @Tag("slow")
    void aFaultAtAnyStatementOfAnyOperatorCallIsStoreUnavailable() {
        breakStatements(1);
    }

    /** The first statement of each call and every so many after it. */
    private void breakStatements(int stride) {
        inbox.admin().importDeadLetters(CONSUMER, List.of(new DeadLetter(dead("p1"), "X", "it failed", null)));
        FaultyDataSource process = FaultyDataSource.around(database.dataSource());
        List<String> leaks = new ArrayList<>();
        try (Inbox operator = configure(builder(process)).start()) {
            calls().forEach((name, call) -> {
                int struck = 0;
                for (Fault fault : FAULTS) {
                    struck += sweep(process, operator, name, call, new Sweep(fault, stride), leaks);
                }
                assertThat(struck).as("faults that struck %s", name).isPositive();
            });
        }
        assertThat(leaks).isEmpty();
    }

    private record Sweep(Fault fault, int stride) {}

    /** Breaks one statement of the call after the other, until a call gets through without meeting the fault. */
    private static int sweep(
            FaultyDataSource process,
            Inbox operator,
            String name,
            Consumer<Inbox> call,
            Sweep sweep,
            List<String> leaks) {
        int struck = 0;
        for (int step = 1; step < 200; step += sweep.stride()) {
            process.inject(FaultPlan.before(step, sweep.fault()));
            Throwable thrown = null;
            try {
                call.accept(operator);
            } catch (RuntimeException failed) {
                thrown = failed;
            }
            if (process.steps().size() < step) {
                return struck;
            }
            struck += process.faultStep().isPresent() ? 1 : 0;
            if (thrown != null && !(thrown instanceof StoreUnavailableException)) {
                leaks.add(name + ", " + sweep.fault() + " before "
                        + process.steps().get(step - 1) + ": " + thrown);
            }
        }
        throw new AssertionError(name + " has no end");
    }
}
