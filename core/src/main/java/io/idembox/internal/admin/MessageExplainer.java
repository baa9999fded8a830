// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.Failure;
import io.idembox.MessageId;
import io.idembox.admin.Attempt;
import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.OperationRecord;
import io.idembox.admin.Status;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.SequencePolicy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Explains a message: what happened to it, which rule decided, what it waits for, what happens next and what to do.
 * Pure. Stored errors contain no payload values, and payloads are not read.
 *
 * @param attempts the failed attempts, oldest first
 * @param operations the operator commands on it, oldest first
 * @param keyPosition its position in its key
 * @param paused the operator who paused its consumer, and the reason; null when it is not paused
 */
record MessageExplainer(
        InboxMessage message,
        List<Attempt> attempts,
        List<OperationRecord> operations,
        KeyPosition keyPosition,
        ConsumerRegistry.Known known,
        @Nullable String paused) {

    private static final String INCLUDE_IN_REPLAY = "Start another replay whose range includes it, or discard it.";
    private static final int SHOWN = 3;
    private static final int MANY_RELEASES = 3;

    /** The statuses in which a message continues without an operator. */
    private static final Set<Status> CONTINUES = EnumSet.of(Status.RECEIVED, Status.WAITING, Status.FAILED_RETRYABLE);

    static List<String> unknown(String consumer, MessageId id) {
        return List.of(
                id + " is unknown to consumer " + consumer + ".",
                "It was never received, its first delivery is in progress right now, or it was completed and then"
                        + " purged by retention.",
                "If it should exist, check the broker, and that source and id are spelled exactly as they were sent.");
    }

    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        sentences.add(introduction());
        sentences.addAll(failedAttempts());
        sentences.addAll(operatorChanges());
        sentences.addAll(
                switch (message.status()) {
                    case RECEIVED -> received();
                    case WAITING -> waiting();
                    case IN_PROGRESS -> inProgress();
                    case FAILED_RETRYABLE -> retryable();
                    case FAILED_TERMINAL -> terminal();
                    case PARKED -> parked();
                    case DISCARDED -> discarded();
                    case COMPLETED -> completed();
                });
        if (paused != null && CONTINUES.contains(message.status())) {
            sentences.add("Consumer " + message.consumer() + " is paused on all nodes: " + sentence(paused));
            sentences.add("Resume the consumer to continue.");
        }
        return sentences;
    }

    /** Adds to what the inbox or a redelivery does without an operator that no action is needed. */
    private String withoutOperator(String what) {
        return paused == null ? what + " No action is needed." : what;
    }

    private String introduction() {
        InboxMessage.Content content = message.content();
        String key = content.key() == null ? "" : " with key " + content.key();
        String type = content.type() == null ? "a message" : content.type().toString();
        String what = content.original() == null
                ? message.id() + " (" + type + key + ")"
                : "A conflicting payload under the id " + message.id() + " (" + type + key + ", arrival "
                        + message.arrival() + ")";
        return what
                + (isOutgoing()
                        ? " was written to the outbox for " + destination()
                        : " was received by consumer " + message.consumer())
                + " at "
                + message.times().receivedAt() + " and is "
                + message.status()
                + (message.progress().reason() == null
                        ? ""
                        : " (" + message.progress().reason() + ")")
                + ".";
    }

    private List<String> failedAttempts() {
        List<String> sentences = new ArrayList<>();
        if (attempts.isEmpty()) {
            if (message.status() != Status.COMPLETED && message.content().original() == null) {
                sentences.add("No attempt has failed yet.");
            }
            sentences.addAll(releaseCount());
            return sentences;
        }
        sentences.add(attempts.size() == 1 ? "1 attempt failed:" : attempts.size() + " attempts failed. The latest:");
        for (Attempt attempt : attempts.subList(Math.max(0, attempts.size() - SHOWN), attempts.size())) {
            sentences.add("Attempt " + attempt.number() + " at " + attempt.endedAt() + " on " + attempt.node() + ": "
                    + sentence(attempt.failure().summary()));
        }
        sentences.addAll(releaseCount());
        return sentences;
    }

    private List<String> releaseCount() {
        int releases = message.counters().releases();
        return releases < MANY_RELEASES
                ? List.of()
                : List.of("Workers released it " + releases
                        + " times without counting an attempt: they were stopped or paused, or"
                        + " several messages in a row failed in the same outage. See the log of the workers.");
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    /** Reports the last changes and the last read of the payload: a read does not hide a change. */
    private List<String> operatorChanges() {
        List<String> sentences = new ArrayList<>();
        List<OperationRecord> changes =
                done().filter(each -> each.command() != Command.READ).toList();
        if (changes.size() > SHOWN) {
            sentences.add("Operators changed it " + changes.size() + " times. The latest:");
        }
        Stream<OperationRecord> reads =
                done().filter(each -> each.command() == Command.READ).reduce((earlier, later) -> later).stream();
        Stream.concat(changes.subList(Math.max(0, changes.size() - SHOWN), changes.size()).stream(), reads)
                .map(each -> "It was " + each.command().done() + " by "
                        + each.operation().by() + " at " + each.at() + " (operation "
                        + each.operation().id() + "): "
                        + sentence(each.operation().reason()))
                .forEach(sentences::add);
        return sentences;
    }

    private Stream<OperationRecord> done() {
        return operations.stream().filter(each -> each.result() == CommandResult.DONE);
    }

    private List<String> received() {
        return message.progress().owner() == RetryBy.REDELIVERY
                ? List.of("A delivery of it is in progress. If that fails, its redelivery tries again.")
                : withWorkers(withoutOperator("It is due: the next free worker handles it."));
    }

    private List<String> waiting() {
        InboxMessage head = keyPosition.ahead();
        KeyPosition.Hold hold = keyPosition.hold();
        if (hold != null) {
            return head == null ? held(hold) : behindHeld(head, hold);
        }
        SequencePolicy sequence = known.consumer().policy().sequence();
        if (head == null && sequence != null && !keyPosition.hasNoGap()) {
            return withWorkers(
                    "No earlier message of its key is unfinished, but " + keyPosition.missing()
                            + " not been received yet.",
                    "It continues when the gap is closed. After sequence.gap-timeout (" + sequence.gapTimeout() + ") "
                            + switch (sequence.onGap()) {
                                case PARK -> "it is parked.";
                                case SKIP -> "the gap is skipped, and it continues.";
                                case REFETCH -> "the missing messages are fetched.";
                            });
        }
        if (head == null) {
            return withWorkers("No message of its key is ahead of it any more: it is released next.");
        }
        String front = waitsFor(head);
        return switch (head.status()) {
            case WAITING ->
                withWorkers(front, "That message waits too: explain it. When it is finished, this one is released.");
            case FAILED_TERMINAL, PARKED ->
                List.of(
                        front,
                        "It waits until an operator redrives or discards that message, which holds its key"
                                + (known.policyKnown()
                                        ? " (ordering: "
                                                + known.consumer()
                                                        .policy()
                                                        .ordering()
                                                        .name()
                                                        .toLowerCase(Locale.ROOT) + ")."
                                        : "."));
            default -> withWorkers(front, withoutOperator("When that message is finished, this one is released."));
        };
    }

    private static String waitsFor(InboxMessage head) {
        return "It waits for " + head.id() + " of the same key, which is " + head.status() + ".";
    }

    /** A replay has not released it. */
    private List<String> held(KeyPosition.Hold hold) {
        String what = "It belongs to " + replay(hold);
        if (hold.state() == Campaign.State.RUNNING) {
            return withWorkers(what, withoutOperator("The replay releases its messages in the order of arrival."));
        }
        return hold.state() == null
                ? List.of(what, INCLUDE_IN_REPLAY)
                : List.of(
                        what,
                        "It waits until an operator resumes that replay, or cancels it; a cancelled replay settles it"
                                + " as it was before.");
    }

    /** A replay has not released the message ahead of it. */
    private List<String> behindHeld(InboxMessage head, KeyPosition.Hold hold) {
        String what = "That message belongs to " + replay(hold);
        if (hold.state() == Campaign.State.RUNNING) {
            return withWorkers(
                    waitsFor(head), what, withoutOperator("When that message is finished, this one is released."));
        }
        return List.of(
                waitsFor(head),
                what,
                hold.state() == null
                        ? INCLUDE_IN_REPLAY
                        : "It waits until an operator resumes that replay, or cancels it.");
    }

    private static String replay(KeyPosition.Hold hold) {
        return hold.replay() == null
                ? "a replay whose campaign was deleted: nothing releases it any more."
                : "replay " + hold.replay() + ", which is " + hold.state() + " and has not released it yet.";
    }

    private List<String> inProgress() {
        InboxMessage.Holder holder = Objects.requireNonNull(message.progress().holder());
        return List.of(
                "Node " + holder.node() + " is handling it, under a lease until " + holder.until()
                        + " that is renewed while the node makes progress.",
                "If that node died, the lease expires, a crash is counted and another node tries. Until then commands"
                        + " do not change the message.");
    }

    private List<String> retryable() {
        List<String> sentences = new ArrayList<>();
        int crashes = message.counters().crashes();
        if (crashes > 0) {
            sentences.add("Its worker crashed or its lease expired " + times(crashes) + "; "
                    + (crashes >= LeaseStore.ALONE_AFTER
                            ? "it now runs alone, and the next time parks it."
                            : "after " + LeaseStore.PARKED_AFTER + " times it is parked."));
        }
        if (message.progress().owner() == RetryBy.REDELIVERY) {
            sentences.add("It is not acknowledged, so its broker redelivers it and the redelivery tries again"
                    + ofAttempts(message.counters().failures()) + ".");
            sentences.add(
                    message.content().kept()
                            ? "If the broker does not redeliver it, redrive it: its payload is stored."
                            : "Its payload is not stored here, so it cannot be redriven. If the broker does not"
                                    + " redeliver it, discard it.");
            return sentences;
        }
        sentences.addAll(withWorkers(
                (UNKNOWN.equals(message.progress().reason())
                                ? "The result of its last attempt is unknown; the provider is asked first if possible. "
                                : "")
                        + "The next attempt is due at " + message.progress().dueAt() + " and runs when a worker is free"
                        + ofAttempts(message.counters().failures()) + ".",
                "Redrive it to try immediately, with all attempts available again."));
        return sentences;
    }

    private String ofAttempts(int failures) {
        return known.policyKnown()
                ? " (" + failures + " of " + known.consumer().policy().retry().maxAttempts() + " attempts used)"
                : "";
    }

    private List<String> terminal() {
        Failure failure = message.failure();
        boolean hopeless = failure != null && failure.kind() == Failure.Kind.PERMANENT;
        List<String> sentences = new ArrayList<>();
        sentences.add(
                hopeless
                        ? "Its error is PERMANENT: a retry would fail again, so it is not retried."
                        : "It reached the limit of " + cap() + " attempts (retry.max-attempts), so it is not retried.");
        sentences.addAll(untilOperatorActs("Fix the cause, then redrive it; or discard it."));
        return sentences;
    }

    private static final String UNKNOWN = "UNKNOWN";

    private static final String APPLY_MANUALLY = "Apply its effect manually, then discard it.";

    /** A message whose sequence number was passed would be settled without being run. */
    private String passed() {
        return "Its sequence number " + keyPosition.sequenceNumber() + " was already passed (its key has reached "
                + keyPosition.reached() + "): it cannot be redriven any more.";
    }

    private int cap() {
        return known.policyKnown()
                ? known.consumer().policy().retry().maxAttempts()
                : message.counters().failures();
    }

    private List<String> parked() {
        String reason = Objects.requireNonNullElse(message.progress().reason(), "");
        List<String> sentences = new ArrayList<>();
        sentences.add(
                switch (reason) {
                    case "HANDLER" -> "Its handler parked it.";
                    case "UNREADABLE" -> "Its payload could not be read" + because() + ".";
                    case "UNKNOWN_TYPE" -> "No handler is registered for its type and version.";
                    case "NO_ID" -> "It has no usable id, so duplicates of it cannot be detected.";
                    case "OVER_LIMIT" -> "It, or a part of it, exceeds a size limit" + because() + ".";
                    case "NOT_TEXT" -> "A part of it that must be text is not valid text" + because() + ".";
                    case "CONFLICT" ->
                        "Its id was received before with another payload, so it was not handled. Find out why the"
                                + " producer used the id twice.";
                    case "CRASH" ->
                        "Its worker crashed or its lease expired "
                                + times(message.counters().crashes())
                                + ": it may kill the process, or its handler may be slower than the lease.";
                    case "TORN" ->
                        "A handler of its batch ended the transaction of the inbox, so its effects may or may not be"
                                + " committed. Check them before you redrive it.";
                    case "DEAD_LETTER" ->
                        "It failed in another system and was imported from there" + because()
                                + ". A redrive runs it regardless of the order of its key.";
                    case "GAP" ->
                        "Messages with lower sequence numbers of its key were not received (sequence.gap-timeout).";
                    case "NO_SEQUENCE" -> "It has no sequence number, but its consumer needs one.";
                    case "REFUSED" -> "The broker rejects it permanently" + because() + ".";
                    case "UNKNOWN" ->
                        "It was tried, but the result is unknown. Check with the provider before you redrive it.";
                    case "KEY_EXPIRED" ->
                        "It was tried longer ago than the provider honours its idempotency key, so another attempt"
                                + " could execute it twice; not even a redrive tries it. Check with the provider"
                                + " whether it was executed.";
                    case "OPERATOR" -> "An operator parked it.";
                    case "RESTORED" -> "An operator restored it after it had been discarded.";
                    default -> "It was parked" + because() + ".";
                });
        sentences.addAll(untilOperatorActs(
                switch (reason) {
                    case "UNKNOWN_TYPE" -> "Register a handler, then redrive it; or discard it.";
                    case "CONFLICT" -> "Redrive it to handle it as a message of its own, or discard it.";
                    case "OPERATOR", "RESTORED" -> "Redrive it to continue, or discard it.";
                    case "UNKNOWN" -> "If it was executed, discard it; if not, redrive it.";
                    case "KEY_EXPIRED" -> "Discard it; if it was not executed, send it again under a new key.";
                    default -> "Fix the cause, then redrive it; or discard it.";
                }));
        return sentences;
    }

    private String because() {
        Failure failure = message.failure();
        return failure == null ? "" : " (" + failure.errorClass() + ")";
    }

    private List<String> untilOperatorActs(String advice) {
        List<String> sentences = new ArrayList<>();
        sentences.add("It stays in this state until an operator " + (keyPosition.isPassed() ? "" : "redrives or ")
                + "discards it; another delivery is acknowledged and changes nothing.");
        Ordering ordering = known.consumer().policy().ordering();
        if (message.content().key() != null && message.content().original() == null && ordering != Ordering.NONE) {
            sentences.add(
                    ordering == Ordering.HOLD
                            ? "It holds later messages of its key."
                            : "Later messages of its key pass it.");
        }
        if (keyPosition.isPassed()) {
            sentences.add(passed());
            sentences.add(APPLY_MANUALLY);
            return sentences;
        }
        sentences.add(advice);
        if (!known.worksHere()) {
            sentences.add("A redrive needs " + requiredNode() + ".");
        }
        return sentences;
    }

    private List<String> discarded() {
        List<String> sentences = new ArrayList<>();
        sentences.add("Another delivery of it is answered DUPLICATE and changes nothing.");
        if (keyPosition.isPassed()) {
            sentences.add(passed());
        }
        sentences.add(
                !message.content().kept()
                        ? "Its payload is not stored, so it cannot be restored."
                        : keyPosition.isPassed()
                                ? "If restored, it is parked and may hold its key."
                                : "Restore it to undo this: it is then parked and can be redriven.");
        return sentences;
    }

    private List<String> completed() {
        int all = message.counters().attempts();
        if (all == 0) {
            return List.of(
                    "Its sequence number was already passed when it arrived: it was settled without being run at "
                            + message.times().settledAt() + ". No action is needed.");
        }
        if (isOutgoing()) {
            return List.of("It was published at " + message.times().settledAt()
                    + (all > 1 ? " by attempt " + all : "")
                    + " and confirmed by the broker. No action is needed.");
        }
        return List.of("It was completed at " + message.times().settledAt()
                + (all > 1 ? " by attempt " + all : "")
                + ". Another delivery of it is answered DUPLICATE. No action is needed.");
    }

    private List<String> withWorkers(String... sentences) {
        List<String> all = new ArrayList<>(List.of(sentences));
        if (!known.worksHere()) {
            all.add("This needs " + requiredNode() + ".");
        }
        return all;
    }

    /** This node does not know which other nodes run. */
    private String requiredNode() {
        if (isOutgoing()) {
            return "a running node that relays it with outbox().relay(publisher, \"" + destination()
                    + "\"); this node does not";
        }
        return "a running node with a handler registered by subscribe(\"" + message.consumer()
                + "\").on(...).start(); this node has none";
    }

    private static String times(int count) {
        return count == 1 ? "once" : count == 2 ? "twice" : count + " times";
    }

    /** Whether it is a message of the outbox. */
    private boolean isOutgoing() {
        return message.consumer().startsWith(OutboxWriter.OUTBOX);
    }

    private String destination() {
        return message.consumer().substring(OutboxWriter.OUTBOX.length());
    }
}
