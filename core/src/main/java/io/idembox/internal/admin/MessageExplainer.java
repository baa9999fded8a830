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
 * Says about a message what happened to it, which rule decided, what it waits for, what happens next and what to do. Pure.
 * Errors are kept without payload values, and payloads are not looked at.
 *
 * @param attempts those that did not end well, the oldest first
 * @param operations what people did to it, the oldest first
 * @param keyPosition where it stands in its key
 * @param paused who paused its consumer, and why; null when nobody did
 */
record MessageExplainer(
        InboxMessage message,
        List<Attempt> attempts,
        List<OperationRecord> operations,
        KeyPosition keyPosition,
        ConsumerRegistry.Known known,
        @Nullable String paused) {

    private static final String TAKE_IT_IN = "Begin another replay that takes it in, or discard it.";
    private static final int TOLD = 3;
    private static final int MANY_RELEASES = 3;

    /** Where a message is taken without anybody's doing. */
    private static final Set<Status> GOES_ON = EnumSet.of(Status.RECEIVED, Status.WAITING, Status.FAILED_RETRYABLE);

    static List<String> unknown(String consumer, MessageId id) {
        return List.of(
                id + " is not known to consumer " + consumer + ".",
                "It was never delivered, it is being handled for the first time right now, or it was finished and its"
                        + " retention is over.",
                "If it should be there, look at the broker, and whether source and id are spelled as they were sent.");
    }

    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        sentences.add(whatItIs());
        sentences.addAll(whatWasTried());
        sentences.addAll(whatPeopleDid());
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
        if (paused != null && GOES_ON.contains(message.status())) {
            sentences.add("Consumer " + message.consumer() + " stands still on all nodes: " + sentence(paused));
            sentences.add("Resume the consumer to let it go on.");
        }
        return sentences;
    }

    /** What the inbox or its redelivery does by itself. */
    private String byItself(String what) {
        return paused == null ? what + " Nothing has to be done." : what;
    }

    private String whatItIs() {
        InboxMessage.Content content = message.content();
        String key = content.key() == null ? "" : " with key " + content.key();
        String type = content.type() == null ? "a message" : content.type().toString();
        String what = content.original() == null
                ? message.id() + " (" + type + key + ")"
                : "Another payload under the id " + message.id() + " (" + type + key + ", arrival " + message.arrival()
                        + ")";
        return what + (isOutgoing() ? " was sent to " + destination() : " came to consumer " + message.consumer())
                + " at "
                + message.times().receivedAt() + " and is "
                + message.status()
                + (message.progress().reason() == null
                        ? ""
                        : " (" + message.progress().reason() + ")")
                + ".";
    }

    private List<String> whatWasTried() {
        List<String> sentences = new ArrayList<>();
        if (attempts.isEmpty()) {
            if (message.status() != Status.COMPLETED && message.content().original() == null) {
                sentences.add("No attempt at it has failed yet.");
            }
            sentences.addAll(howOftenItWasGivenBack());
            return sentences;
        }
        sentences.add(
                attempts.size() == 1
                        ? "One attempt did not end well."
                        : attempts.size() + " attempts did not end well; the last of them:");
        for (Attempt attempt : attempts.subList(Math.max(0, attempts.size() - TOLD), attempts.size())) {
            sentences.add("Attempt " + attempt.number() + " at " + attempt.endedAt() + " on " + attempt.node() + ": "
                    + sentence(attempt.failure().summary()));
        }
        sentences.addAll(howOftenItWasGivenBack());
        return sentences;
    }

    private List<String> howOftenItWasGivenBack() {
        int releases = message.counters().releases();
        return releases < MANY_RELEASES
                ? List.of()
                : List.of("Workers gave it back " + releases
                        + " times without counting an attempt: they were stopped or paused, or"
                        + " several messages in a row met the same outage. Their log says which.");
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    /** The last changes, and the last one who read it: reading hides no change. */
    private List<String> whatPeopleDid() {
        List<String> sentences = new ArrayList<>();
        List<OperationRecord> changes =
                done().filter(each -> each.command() != Command.READ).toList();
        if (changes.size() > TOLD) {
            sentences.add("People changed it " + changes.size() + " times; the last of them:");
        }
        Stream<OperationRecord> reads =
                done().filter(each -> each.command() == Command.READ).reduce((earlier, later) -> later).stream();
        Stream.concat(changes.subList(Math.max(0, changes.size() - TOLD), changes.size()).stream(), reads)
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
                ? List.of("A delivery of it is being handled; if that does not end well, its redelivery tries again.")
                : withWorkers(byItself("It is due: the next free worker takes it."));
    }

    private List<String> waiting() {
        InboxMessage head = keyPosition.ahead();
        KeyPosition.Hold hold = keyPosition.hold();
        if (hold != null) {
            return head == null ? held(hold) : behindHeld(head, hold);
        }
        SequencePolicy sequence = known.consumer().policy().sequence();
        if (head == null && sequence != null && !keyPosition.hasCome()) {
            return withWorkers(
                    "Nobody is in front of it, but " + keyPosition.missing() + " not come yet.",
                    "It goes on when they come. When sequence.gap-timeout (" + sequence.gapTimeout() + ") is over, "
                            + switch (sequence.onGap()) {
                                case PARK -> "it is parked.";
                                case SKIP -> "they are given up, and it goes on.";
                                case REFETCH -> "they are fetched.";
                            });
        }
        if (head == null) {
            return withWorkers("Nobody is in front of it any more: it is let go next.");
        }
        String front = front(head);
        return switch (head.status()) {
            case WAITING ->
                withWorkers(front, "That one waits too: explain it. When it is through, this one is let go.");
            case FAILED_TERMINAL, PARKED ->
                List.of(
                        front,
                        "Nothing happens until somebody redrives or discards that one: it holds its key"
                                + (known.policyKnown()
                                        ? " (ordering: "
                                                + known.consumer()
                                                        .policy()
                                                        .ordering()
                                                        .name()
                                                        .toLowerCase(Locale.ROOT) + ")."
                                        : "."));
            default -> withWorkers(front, byItself("When that one is through, this one is let go."));
        };
    }

    private static String front(InboxMessage head) {
        return "It waits for " + head.id() + " of the same key, which is " + head.status() + ".";
    }

    /** A replay has not come to it. */
    private List<String> held(KeyPosition.Hold hold) {
        String what = "It is brought back by " + replay(hold);
        if (hold.state() == Campaign.State.RUNNING) {
            return withWorkers(what, byItself("It is let go in the order of arrival."));
        }
        return hold.state() == null
                ? List.of(what, TAKE_IT_IN)
                : List.of(
                        what,
                        "Nothing happens to it until somebody resumes that replay, or cancels it: then it is settled as"
                                + " it was before.");
    }

    /** A replay has not come to the one in front of it. */
    private List<String> behindHeld(InboxMessage head, KeyPosition.Hold hold) {
        String what = "That one is brought back by " + replay(hold);
        if (hold.state() == Campaign.State.RUNNING) {
            return withWorkers(front(head), what, byItself("When that one is through, this one is let go."));
        }
        return List.of(
                front(head),
                what,
                hold.state() == null
                        ? TAKE_IT_IN
                        : "Nothing happens until somebody resumes that replay, or cancels it.");
    }

    private static String replay(KeyPosition.Hold hold) {
        return hold.replay() == null
                ? "a replay that is gone: nobody lets it go any more."
                : "replay " + hold.replay() + ", which is " + hold.state() + " and has not come to it yet.";
    }

    private List<String> inProgress() {
        InboxMessage.Holder holder = Objects.requireNonNull(message.progress().holder());
        return List.of(
                "Node " + holder.node() + " works on it, under a lease until " + holder.until()
                        + " that is renewed while it gets somewhere.",
                "If that node is gone, the lease runs out, a crash is counted and another node tries. Commands leave the"
                        + " message alone until then.");
    }

    private List<String> retryable() {
        List<String> sentences = new ArrayList<>();
        int crashes = message.counters().crashes();
        if (crashes > 0) {
            sentences.add("Whoever had it went away " + times(crashes) + "; "
                    + (crashes >= LeaseStore.ALONE_AFTER
                            ? "so it runs alone, and once more parks it."
                            : LeaseStore.PARKED_AFTER + " times park it."));
        }
        if (message.progress().owner() == RetryBy.REDELIVERY) {
            sentences.add("The broker was not told to forget it: its redelivery tries again"
                    + ofAttempts(message.counters().failures()) + ".");
            sentences.add(
                    message.content().kept()
                            ? "Redrive it if the broker does not bring it again; its payload is kept."
                            : "Its payload is not kept here, so it cannot be redriven. If the broker does not bring it"
                                    + " again, discard it.");
            return sentences;
        }
        sentences.addAll(withWorkers(
                (UNKNOWN.equals(message.progress().reason())
                                ? "Whether its last try was done is not known: the provider is asked first where that is possible. "
                                : "")
                        + "The inbox tries again at " + message.progress().dueAt() + ", or as soon as a worker is free"
                        + ofAttempts(message.counters().failures()) + ".",
                "Redrive it to try at once, with all attempts before it."));
        return sentences;
    }

    private String ofAttempts(int failures) {
        return known.policyKnown()
                ? "; " + failures + " of " + known.consumer().policy().retry().maxAttempts() + " attempts are used up"
                : "";
    }

    private List<String> terminal() {
        Failure failure = message.failure();
        boolean hopeless = failure != null && failure.kind() == Failure.Kind.PERMANENT;
        List<String> sentences = new ArrayList<>();
        sentences.add(
                hopeless
                        ? "Errors of this kind do not pass by themselves (PERMANENT), so it failed for good at once."
                        : "The cap of " + cap() + " attempts (retry.max-attempts) was reached, so it failed for good.");
        sentences.addAll(untilSomebodyActs("Mend the cause, then redrive it; or discard it."));
        return sentences;
    }

    private static final String UNKNOWN = "UNKNOWN";

    private static final String TOO_LATE = "Do by hand what it asks for, then discard it.";

    /** Past its place it would be settled without being run. */
    private String passed() {
        return "The sequence of its key is at place " + keyPosition.reached() + " and so past its own, "
                + keyPosition.sequenceNumber() + ": it cannot be redriven any more.";
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
                    case "HANDLER" -> "Its handler set it aside.";
                    case "UNREADABLE" -> "Its payload could not be read" + because() + ".";
                    case "UNKNOWN_TYPE" -> "No handler is registered for its type and version.";
                    case "NO_ID" -> "It has no id that identifies it, so nobody can tell whether it comes twice.";
                    case "OVER_LIMIT" -> "It, or a part of it, is larger than allowed" + because() + ".";
                    case "NOT_TEXT" -> "A part of it that has to be text is not valid text" + because() + ".";
                    case "CONFLICT" ->
                        "The id was seen before with another payload, so it was not handled. Find out why the producer uses"
                                + " the id twice.";
                    case "CRASH" ->
                        "Whoever had it went away " + times(message.counters().crashes())
                                + ": it may end processes, or take longer than its lease.";
                    case "TORN" ->
                        "A handler of its batch ended the inbox's transaction, so its effects may be there or not. Check them"
                                + " before you redrive it.";
                    case "DEAD_LETTER" ->
                        "It failed elsewhere and was taken over from there" + because()
                                + ". A redrive runs it regardless of its place among the messages of its key.";
                    case "GAP" -> "Messages of its key with lower places did not come (sequence.gap-timeout).";
                    case "NO_SEQUENCE" -> "It does not say which place it has among the messages of its key.";
                    case "REFUSED" -> "The broker does not take it, however often it is asked" + because() + ".";
                    case "UNKNOWN" ->
                        "It was tried, and whether it was done is not known. Find out at the provider before you redrive it.";
                    case "KEY_EXPIRED" ->
                        "It was tried longer ago than the provider honours its idempotency key, so another try could do it"
                                + " twice: not even a redrive tries it. Find out at the provider whether it was done.";
                    case "OPERATOR" -> "Somebody set it aside.";
                    case "RESTORED" -> "Somebody took it back after it had been discarded.";
                    default -> "It was set aside" + because() + ".";
                });
        sentences.addAll(untilSomebodyActs(
                switch (reason) {
                    case "UNKNOWN_TYPE" -> "Register a handler, then redrive it; or discard it.";
                    case "CONFLICT" -> "Redrive it to handle it as a message of its own, or discard it.";
                    case "OPERATOR", "RESTORED" -> "Redrive it when it may go on, or discard it.";
                    case "UNKNOWN" -> "If it was done, discard it; if not, redrive it.";
                    case "KEY_EXPIRED" -> "Discard it; if it was not done, do it under a new key.";
                    default -> "Mend the cause, then redrive it; or discard it.";
                }));
        return sentences;
    }

    private String because() {
        Failure failure = message.failure();
        return failure == null ? "" : " (" + failure.errorClass() + ")";
    }

    private List<String> untilSomebodyActs(String advice) {
        List<String> sentences = new ArrayList<>();
        sentences.add("Nothing happens to it until somebody " + (keyPosition.isPassed() ? "" : "redrives or ")
                + "discards it; another delivery is acknowledged and changes nothing.");
        Ordering ordering = known.consumer().policy().ordering();
        if (message.content().key() != null && message.content().original() == null && ordering != Ordering.NONE) {
            sentences.add(
                    ordering == Ordering.HOLD
                            ? "It holds the later messages of its key."
                            : "Later messages of its key pass it.");
        }
        if (keyPosition.isPassed()) {
            sentences.add(passed());
            sentences.add(TOO_LATE);
            return sentences;
        }
        sentences.add(advice);
        if (!known.worksHere()) {
            sentences.add("A redrive needs " + aNode() + ".");
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
                        ? "Its payload is not kept, so it cannot be restored."
                        : keyPosition.isPassed()
                                ? "Restored, it is parked and may hold its key."
                                : "Restore it to take it back: it is parked then, and may be redriven.");
        return sentences;
    }

    private List<String> completed() {
        int all = message.counters().attempts();
        if (all == 0) {
            return List.of(
                    "Its key was past its place in the sequence when it came: it was settled without being run at "
                            + message.times().settledAt() + ". Nothing is left to do.");
        }
        if (isOutgoing()) {
            return List.of("It was published at " + message.times().settledAt()
                    + (all > 1 ? " by attempt " + all : "")
                    + ": the broker has confirmed it. Nothing is left to do.");
        }
        return List.of("It was completed at " + message.times().settledAt()
                + (all > 1 ? " by attempt " + all : "")
                + ". Nothing is left to do; another delivery of it is answered DUPLICATE.");
    }

    private List<String> withWorkers(String... sentences) {
        List<String> all = new ArrayList<>(List.of(sentences));
        if (!known.worksHere()) {
            all.add("That needs " + aNode() + ".");
        }
        return all;
    }

    /** Other nodes are not known here. */
    private String aNode() {
        if (isOutgoing()) {
            return "a running node that relays it, by outbox().relay(publisher, \"" + destination()
                    + "\"); this node does not";
        }
        return "a running node with a handler that is registered, by subscribe(\"" + message.consumer()
                + "\").on(...).start(); this node has none";
    }

    private static String times(int count) {
        return count == 1 ? "once" : count == 2 ? "twice" : count + " times";
    }

    /** Whether it is on its way out. */
    private boolean isOutgoing() {
        return message.consumer().startsWith(OutboxWriter.OUTBOX);
    }

    private String destination() {
        return message.consumer().substring(OutboxWriter.OUTBOX.length());
    }
}
