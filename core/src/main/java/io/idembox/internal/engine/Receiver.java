// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.ConsumerStoppedException;
import io.idembox.InboxConfigurationException;
import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.PayloadException;
import io.idembox.Receipt;
import io.idembox.HandleResult;
import io.idembox.StoreUnavailableException;
import io.idembox.InboxHandler;
import io.idembox.event.InboxEvent;
import io.idembox.policy.OnDuplicate;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.spi.Delivery;
import io.idembox.spi.Partitions;
import java.sql.Connection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Front of the route for one consumer: deliveries become receipts, and receipts say whether to acknowledge.
 *
 * <p>Promise: when a receipt acknowledges, what it says is committed. Valid: {@code deliver, effect, crash, deliver again →
 * DUPLICATE}. Valid: {@code deliver, crash, deliver again, effect}. Invalid, and prevented: an effect without a mark, a
 * mark without an effect or an entry, an acknowledge before either is committed. Thread-safe.
 */
public final class Receiver {

    private static final Logger log = LoggerFactory.getLogger(Receiver.class);

    /** The pause before the next delivery of a message that waits for an operator or another process. */
    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    private final InboxStore store;
    private final Consumer consumer;
    private final Mailroom mailroom;
    private final Admission admission;
    private final Perseverance perseverance;
    private final Valve valve;
    private final @Nullable Care care;
    private final @Nullable CrashGuard guard;
    private final Recorder recorder;
    private final Intake handling;
    private final Intake storing;
    private final Events events;
    private final InstantSource clock;
    private final Tally tally = new Tally();

    /** Without care: a message that ends the process is not counted in direct mode. */
    public Receiver(InboxStore store, Consumer consumer, ErrorText errors, InstantSource clock, Events events) {
        this(store, consumer, errors, clock, events, null);
    }

    public Receiver(
            InboxStore store,
            Consumer consumer,
            ErrorText errors,
            InstantSource clock,
            Events events,
            @Nullable Care care) {
        this(store, consumer, errors, clock, events, care, Mailroom.closed(store));
    }

    /** With a mailroom, so that handlers may send. */
    public Receiver(
            InboxStore store,
            Consumer consumer,
            ErrorText errors,
            InstantSource clock,
            Events events,
            @Nullable Care care,
            Mailroom mailroom) {
        this.store = store;
        this.consumer = consumer;
        this.mailroom = mailroom;
        this.admission = new Admission(consumer, clock, events);
        this.valve = new Valve(consumer, clock, events);
        this.perseverance = new Perseverance(store, consumer, errors, clock, events, valve, mailroom);
        this.care = care;
        this.guard = care == null
                ? null
                : new CrashGuard(new LaneBook(care.owners(), consumer, clock), admission::identityOf);
        Keep keep = Keep.asPolicySays(consumer.policy());
        this.recorder = new Recorder(store, consumer, keep);
        this.handling = ordered(new Recorder(store, consumer, keep, guard), keep);
        // Whether an entry may go at once is known only when its key is locked, so it is born after its mark.
        this.storing = consumer.policy().ordering() == Ordering.NONE
                ? new Recorder(store, consumer, Keep.ENTRY)
                : new InOrder(new Recorder(store, consumer, Keep.BODY), store, consumer, Keep.ENTRY);
        this.events = events;
        this.clock = clock;
    }

    private Intake ordered(Recorder intake, Keep keep) {
        return consumer.policy().ordering() == Ordering.NONE ? intake : new InOrder(intake, store, consumer, keep);
    }

    public Consumer consumer() {
        return consumer;
    }

    /** Whether messages are handled on this node now. */
    public Valve valve() {
        return valve;
    }

    /** How deliveries were answered since this node was started. */
    public Answered answered() {
        return tally.soFar();
    }

    /** Who reads what, for sources that say so. */
    public Partitions lanes() {
        return Objects.requireNonNull(guard, "Without care nobody knows who reads what")
                .lanes();
    }

    /** Handles the deliveries and tells the broker about each one. */
    public List<Receipt> receiveDeliveries(List<? extends Delivery> deliveries, Handlers handlers) {
        List<Message> messages = messagesOf(deliveries);
        if (areLost(messages)) {
            return giveBack(deliveries);
        }
        Set<Message> again = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Delivery delivery : deliveries) {
            if (delivery.redelivered()) {
                again.add(delivery.message());
            }
        }
        return tellBroker(deliveries, handle(messages, again, handlers));
    }

    /** Stores the deliveries and tells the broker about each one. */
    public List<Receipt> storeDeliveries(List<? extends Delivery> deliveries) {
        List<Message> messages = messagesOf(deliveries);
        return areLost(messages)
                ? giveBack(deliveries)
                : tellBroker(deliveries, answer(messages, storing, message -> Job.STORED));
    }

    private boolean areLost(List<Message> messages) {
        return guard != null && guard.lanes().areLost(messages);
    }

    /** A source brings the messages of one lane at a time, so what is lost is lost for all of them. */
    private List<Receipt> giveBack(List<? extends Delivery> deliveries) {
        Receipt busy = Receipt.busy("its lane is no longer read by this process", ONE_SECOND);
        return tellBroker(deliveries, Collections.nCopies(deliveries.size(), busy));
    }

    private static List<Message> messagesOf(List<? extends Delivery> deliveries) {
        return deliveries.stream().map(Delivery::message).toList();
    }

    private List<Receipt> tellBroker(List<? extends Delivery> deliveries, List<Receipt> receipts) {
        for (int i = 0; i < receipts.size(); i++) {
            // Crash here: everything this receipt says is committed. The broker delivers again and is answered from the
            // ledger: DUPLICATE for one that was completed or skipped, STORED for one that the workers have, FAILED for
            // one that is kept for a human.
            acknowledge(deliveries.get(i), receipts.get(i));
        }
        count(receipts);
        return receipts;
    }

    private void acknowledge(Delivery delivery, Receipt receipt) {
        try {
            if (receipt.acknowledges()) {
                delivery.acknowledge();
            } else {
                delivery.release(receipt.retryAfter().orElse(Duration.ZERO));
            }
        } catch (RuntimeException thrown) {
            // The commit stands. This is the broker's failure, not the message's: nobody pays, nothing is undone.
            events.tell(new InboxEvent.AcknowledgeFailed(consumer.name(), null, thrown));
            log.warn(
                    "Consumer {}: {} is {}, but the broker could not be told ({}). It will deliver it again, and that"
                            + " delivery is answered from the ledger.",
                    consumer.name(),
                    delivery.message(),
                    receipt.kind(),
                    thrown.getClass().getName());
        }
    }

    /** Handles the messages; one receipt for each, in their order. */
    public List<Receipt> receive(List<Message> messages, Handlers handlers) {
        List<Receipt> receipts = handle(messages, Set.of(), handlers);
        count(receipts);
        return receipts;
    }

    /** Keeps the messages for the consumer's workers; one receipt for each, in their order. */
    public List<Receipt> store(List<Message> messages) {
        List<Receipt> receipts = answer(messages, storing, message -> Job.STORED);
        count(receipts);
        return receipts;
    }

    /** Works on what is stored. */
    public LeaseRun leaseRun(LeaseStore leases, Function<Message, Job> jobs) {
        return new LeaseRun(store, leases, consumer, perseverance, valve, events, jobs);
    }

    /** Works on what is stored, outside any transaction. */
    public OutsideRun outsideRun(LeaseStore leases, Errand errand) {
        return new OutsideRun(store, leases, consumer, errand, valve, events);
    }

    /** The place of a message in the sequence of its key; null where it has none. */
    public @Nullable Long placeOf(Message message) {
        return admission.placeOf(message);
    }

    /** Takes over what failed elsewhere. */
    public Adopting adopting() {
        return new Adopting(store, consumer, admission, clock);
    }

    private void checkNotStopped() {
        perseverance.stopped().ifPresent(reason -> {
            throw new ConsumerStoppedException(reason);
        });
    }

    private void count(List<Receipt> receipts) {
        tally.count(receipts, clock.instant()).ifPresent(this::write);
    }

    private List<Receipt> handle(List<Message> messages, Set<Message> again, Handlers handlers) {
        Optional<String> why = valve.whyNotToHandle();
        if (why.isPresent()) {
            return messages.stream()
                    .map(message -> Receipt.busy("its consumer is paused: " + why.get(), ONE_SECOND))
                    .toList();
        }
        if (guard == null) {
            return answer(messages, handling, handlers);
        }
        try {
            if (!again.isEmpty() || guard.calls(messages)) {
                return oneByOne(guard, messages, again, handlers);
            }
            return together(guard, messages, handlers).orElseGet(() -> oneByOne(guard, messages, again, handlers));
        } catch (StoreUnavailableException down) {
            throw pausedFor(down);
        }
    }

    /** All of them in flight at the same time; empty when it turned out that they call for care. */
    private Optional<List<Receipt>> together(CrashGuard carefully, List<Message> messages, Handlers handlers) {
        Optional<LaneBook.Flight> flight = carefully.lanes().begin(messages);
        if (flight.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(answer(messages, handling, handlers));
        } finally {
            flight.get().end();
        }
    }

    /** With care where it is called for; a message that has to come again holds the later ones of its key. */
    private List<Receipt> oneByOne(
            CrashGuard carefully, List<Message> messages, Set<Message> again, Handlers handlers) {
        Map<String, Receipt> heldKeys = new HashMap<>();
        List<Receipt> receipts = new ArrayList<>(messages.size());
        for (Message message : messages) {
            String key = message.key().orElse(null);
            Receipt receipt;
            if (key != null && heldKeys.containsKey(key)) {
                receipt = HeldKeys.behind(Objects.requireNonNull(heldKeys.get(key)));
            } else if (again.contains(message) || carefully.calls(message)) {
                receipt = handleWithCare(message, handlers);
                carefully.survived(message, receipt);
            } else {
                receipt = handle(List.of(message), Set.of(), handlers).get(0);
            }
            if (key != null && !receipt.acknowledges()) {
                heldKeys.put(key, receipt);
            }
            receipts.add(receipt);
        }
        return receipts;
    }

    /**
     * Claimed in a transaction of its own before it is handled, so that a crash is counted. What the inbox retries itself is
     * stored, and its workers do the same. What has two ids for a while is handled alone, and its crash is not counted.
     */
    private Receipt handleWithCare(Message message, Handlers handlers) {
        if (consumer.policy().retryBy(handlers.areRegistered()) == RetryBy.INBOX) {
            return answer(List.of(message), storing, stored -> Job.STORED).get(0);
        }
        if (admission.hasTwoIds(message)) {
            // Why not claimed first: one entry speaks for one id. The other one would say that it is done before it is.
            Optional<LaneBook.Flight> flight =
                    Objects.requireNonNull(guard).lanes().begin(List.of(message));
            try {
                return answer(List.of(message), recorder, handlers).get(0);
            } finally {
                flight.ifPresent(LaneBook.Flight::end);
            }
        }
        Care with = Objects.requireNonNull(care);
        // The inbox keeps no order for messages that the broker redelivers.
        ClaimFirst first = new ClaimFirst(
                recorder,
                store,
                with.leases(),
                consumer,
                consumer.policy().work().lease());
        Receipt answer = answer(List.of(message), first, stored -> Job.STORED).get(0);
        if (first.lease().isEmpty()) {
            return answer;
        }
        Lease lease = first.lease().get();
        // Crash here: the lease runs out, the crash is counted, and the next delivery is handled like this again; at
        // the third it is parked.
        LeaseWatch.Shift shift = with.watch().begin(lease.token());
        try {
            List<Receipt> receipts = leaseRun(with.leases(), handlers::jobFor).work(lease, shift);
            return receipts.isEmpty() ? Receipt.busy("its lease was gone") : receipts.get(0);
        } finally {
            if (with.watch().end(lease.token())) {
                // It was meant for the handler; the thread is the broker's, and goes on.
                Thread.interrupted();
            }
        }
    }

    private List<Receipt> answer(List<Message> messages, Intake intake, Handlers handlers) {
        try {
            Intake fenced = guard == null ? intake : guard.lanes().fenced(messages, intake);
            List<Receipt> receipts = answerOrThrow(messages, fenced, handlers);
            valve.open(Valve.Cause.STORE_DOWN);
            return receipts;
        } catch (StoreUnavailableException down) {
            throw pausedFor(down);
        }
    }

    private InboxException pausedFor(StoreUnavailableException down) {
        Optional<String> stopped = perseverance.stopIfItCannotWork(down);
        if (stopped.isPresent()) {
            return new ConsumerStoppedException(stopped.get(), down);
        }
        valve.close(Valve.Cause.STORE_DOWN, "the database does not answer; it goes on by itself when it does");
        return down;
    }

    private List<Receipt> answerOrThrow(List<Message> messages, Intake intake, Handlers handlers) {
        checkNotStopped();
        Admission.Admitted admitted =
                admission.admit(messages, handlers::jobFor).inOrder(messages, consumer.policy());
        Map<Integer, Receipt> receipts = new HashMap<>(admitted.refused());
        Map<Integer, Candidate> candidates = new HashMap<>();
        admitted.candidates().forEach(each -> candidates.put(each.nth(), each));
        settle(intake, admitted.candidates(), receipts);
        admitted.twins()
                .forEach((nth, first) -> receipts.put(nth, twinOf(Objects.requireNonNull(receipts.get(first)))));
        settleClashes(intake, admitted, receipts);
        wakeAfterResending(receipts.values());
        ReleaseOrder order = new ReleaseOrder(consumer.policy(), handlers.areRegistered());
        List<Receipt> inOrder = new ArrayList<>(messages.size());
        for (int nth = 0; nth < messages.size(); nth++) {
            Receipt receipt = order.next(messages.get(nth), Objects.requireNonNull(receipts.get(nth)));
            Candidate candidate = candidates.get(nth);
            if (intake.answers()) {
                events.tell(
                        new InboxEvent.Received(consumer.name(), candidate == null ? null : candidate.id(), receipt));
            }
            inOrder.add(receipt);
        }
        return inOrder;
    }

    private void wakeAfterResending(Collection<Receipt> receipts) {
        boolean resends = consumer.policy().outgoing().onDuplicate() == OnDuplicate.RESEND;
        if (resends && receipts.stream().anyMatch(receipt -> receipt.kind() == Receipt.Kind.DUPLICATE)) {
            mailroom.wakeAll();
        }
    }

    /** Writes down what was counted since the last full minute. */
    public void close() {
        if (guard != null) {
            guard.lanes().close();
        }
        tally.rest().ifPresent(this::write);
    }

    /** Statistics may fail; messages go on. */
    private void write(InboxStore.Minute minute) {
        try {
            store.write(consumer, minute);
        } catch (InboxException unavailable) {
            log.warn(
                    "Consumer {}: the counts of minute {} could not be written and are gone; messages are not concerned.",
                    consumer.name(),
                    minute.start());
        }
    }

    /** Handles a message inside a transaction the caller owns; it cannot promise the caller's commit. */
    public HandleResult handleIn(Connection connection, Message message, InboxHandler handler) throws Exception {
        checkNotStopped();
        if (connection.getAutoCommit()) {
            throw new InboxConfigurationException(
                    "The connection given to handle(connection, ...) commits every statement on"
                            + " its own, so mark and effect would not be one transaction. Call setAutoCommit(false) first.");
        }
        if (consumer.policy().sequence() != null) {
            throw new InboxConfigurationException("Consumer " + consumer.name()
                    + " guards the sequence of its keys, and handle(connection, ...) keeps no order. Use"
                    + " handle(consumer, message, work) or store(consumer, message).");
        }
        Admission.Admitted admitted = admission.admit(List.of(message), each -> new Job.Single(handler));
        if (admitted.candidates().isEmpty() || admitted.candidates().get(0).job() instanceof Job.Doomed) {
            throw new PayloadException(
                    message
                            + " cannot be handled in a transaction of yours: it has no usable id, or it is over a limit.",
                    null);
        }
        store.prepare(admitted.candidates());
        try {
            return perseverance
                    .batches()
                    .runIn(recorder, connection, admitted.candidates().get(0));
        } catch (TransactionFailed failed) {
            throw new StoreUnavailableException(
                    "The database did not record " + message + " in your transaction (" + failed.kind()
                            + "). Roll it back; the message is delivered again.",
                    failed);
        }
    }

    private void settle(Intake intake, List<Candidate> candidates, Map<Integer, Receipt> receipts) {
        HeldKeys heldKeys = new HeldKeys(consumer.policy());
        for (List<Candidate> chunk : Chunks.of(candidates, Candidate::message)) {
            List<Candidate> numbered = renumbered(chunk);
            store.prepare(numbered);
            for (Settled settled : perseverance.settle(intake, numbered, heldKeys)) {
                receipts.put(chunk.get(settled.candidate().nth()).nth(), settled.receipt());
            }
        }
    }

    /** Places inside the chunk: they become the low part of arrival numbers. */
    static List<Candidate> renumbered(List<Candidate> chunk) {
        List<Candidate> numbered = new ArrayList<>(chunk.size());
        for (Candidate each : chunk) {
            numbered.add(each.numbered(numbered.size()));
        }
        return numbered;
    }

    /** The same message twice in one batch: what became of the first is the answer for the second. */
    private static Receipt twinOf(Receipt first) {
        return first.kind() == Receipt.Kind.COMPLETED
                ? Receipt.duplicate(first.result().orElse(null))
                : first;
    }

    /** The same id twice in one batch with different payloads: the first one wins, the others meet its mark. */
    private void settleClashes(Intake intake, Admission.Admitted admitted, Map<Integer, Receipt> receipts) {
        admitted.clashes().forEach((clash, first) -> {
            Receipt before = Objects.requireNonNull(receipts.get(first));
            if (before.acknowledges()) {
                settle(intake, List.of(clash), receipts);
            } else {
                Duration pause = before.retryAfter().orElse(ONE_SECOND);
                receipts.put(clash.nth(), Receipt.busy("the first message of its id is not settled", pause));
            }
        });
    }
}
