// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.ConsumerStoppedException;
import io.idembox.HandleResult;
import io.idembox.InboxException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
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
    private final RegisteredConsumer consumer;
    private final OutboxWriter outboxWriter;
    private final Admission admission;
    private final BatchRecovery recovery;
    private final PauseControl pauseControl;
    private final @Nullable Care care;
    private final @Nullable CrashGuard guard;
    private final Recorder recorder;
    private final BatchSource handling;
    private final BatchSource storing;
    private final CallersTransaction callersTransaction;
    private final EventPublisher events;
    private final InstantSource clock;
    private final ReceiptCounter receiptCounter = new ReceiptCounter();

    /** Without care: a message that ends the process is not counted in direct mode. */
    public Receiver(
            InboxStore store,
            RegisteredConsumer consumer,
            ErrorText errors,
            InstantSource clock,
            EventPublisher events) {
        this(store, consumer, errors, clock, events, null);
    }

    public Receiver(
            InboxStore store,
            RegisteredConsumer consumer,
            ErrorText errors,
            InstantSource clock,
            EventPublisher events,
            @Nullable Care care) {
        this(store, consumer, errors, clock, events, care, OutboxWriter.closed(store));
    }

    /** With a mailroom, so that handlers may send. */
    public Receiver(
            InboxStore store,
            RegisteredConsumer consumer,
            ErrorText errors,
            InstantSource clock,
            EventPublisher events,
            @Nullable Care care,
            OutboxWriter outboxWriter) {
        this.store = store;
        this.consumer = consumer;
        this.outboxWriter = outboxWriter;
        this.admission = new Admission(consumer, clock, events);
        this.pauseControl = new PauseControl(consumer, clock, events);
        this.recovery = new BatchRecovery(store, consumer, errors, clock, events, pauseControl, outboxWriter);
        this.care = care;
        this.guard = care == null
                ? null
                : new CrashGuard(new PartitionRegistry(care.owners(), consumer, clock), admission::identityOf);
        RecordingDepth depth = RecordingDepth.asPolicySays(consumer.policy());
        this.recorder = new Recorder(store, consumer, depth);
        this.callersTransaction = new CallersTransaction(store, consumer, admission, recovery.batches(), recorder);
        this.handling = ordered(new Recorder(store, consumer, depth, guard), depth);
        // Whether an entry may go at once is known only when its key is locked, so it is born after its mark.
        this.storing = consumer.policy().ordering() == Ordering.NONE
                ? new Recorder(store, consumer, RecordingDepth.ENTRY)
                : new OrderedBatchSource(
                        new Recorder(store, consumer, RecordingDepth.BODY), store, consumer, RecordingDepth.ENTRY);
        this.events = events;
        this.clock = clock;
    }

    private BatchSource ordered(Recorder intake, RecordingDepth depth) {
        return consumer.policy().ordering() == Ordering.NONE
                ? intake
                : new OrderedBatchSource(intake, store, consumer, depth);
    }

    public RegisteredConsumer consumer() {
        return consumer;
    }

    /** Whether messages are handled on this node now. */
    public PauseControl valve() {
        return pauseControl;
    }

    /** How deliveries were answered since this node was started. */
    public ReceiptCounts answered() {
        return receiptCounter.soFar();
    }

    /** Who reads what, for sources that say so. */
    public Partitions lanes() {
        return Objects.requireNonNull(guard, "Without care nobody knows who reads what")
                .lanes();
    }

    /** Handles the deliveries and tells the broker about each one. */
    public List<Receipt> receiveDeliveries(List<? extends Delivery> deliveries, HandlerLookup handlers) {
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
                : tellBroker(deliveries, answer(messages, storing, message -> HandlerTask.STORED));
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
    public List<Receipt> receive(List<Message> messages, HandlerLookup handlers) {
        List<Receipt> receipts = handle(messages, Set.of(), handlers);
        count(receipts);
        return receipts;
    }

    /** Keeps the messages for the consumer's workers; one receipt for each, in their order. */
    public List<Receipt> store(List<Message> messages) {
        List<Receipt> receipts = answer(messages, storing, message -> HandlerTask.STORED);
        count(receipts);
        return receipts;
    }

    /** Works on what is stored. */
    public HandlerLeaseProcessor leaseRun(LeaseStore leases, Function<Message, HandlerTask> tasks) {
        return new HandlerLeaseProcessor(store, leases, consumer, recovery, pauseControl, events, tasks);
    }

    /** Works on what is stored, outside any transaction. */
    public ExternalLeaseProcessor outsideRun(LeaseStore leases, ExternalWork work) {
        return new ExternalLeaseProcessor(store, leases, consumer, work, pauseControl, events);
    }

    /** The place of a message in the sequence of its key; null where it has none. */
    public @Nullable Long placeOf(Message message) {
        return admission.placeOf(message);
    }

    /** Takes over what failed elsewhere. */
    public DeadLetterImporter adopting() {
        return new DeadLetterImporter(store, consumer, admission, clock);
    }

    private void checkNotStopped() {
        recovery.stopped().ifPresent(reason -> {
            throw new ConsumerStoppedException(reason);
        });
    }

    private void count(List<Receipt> receipts) {
        receiptCounter.count(receipts, clock.instant()).ifPresent(this::write);
    }

    private List<Receipt> handle(List<Message> messages, Set<Message> again, HandlerLookup handlers) {
        Optional<String> why = pauseControl.whyNotToHandle();
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
    private Optional<List<Receipt>> together(CrashGuard carefully, List<Message> messages, HandlerLookup handlers) {
        Optional<PartitionRegistry.Flight> flight = carefully.lanes().begin(messages);
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
            CrashGuard carefully, List<Message> messages, Set<Message> again, HandlerLookup handlers) {
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
    private Receipt handleWithCare(Message message, HandlerLookup handlers) {
        if (consumer.policy().retryBy(handlers.areRegistered()) == RetryBy.INBOX) {
            return answer(List.of(message), storing, stored -> HandlerTask.STORED)
                    .get(0);
        }
        if (admission.hasTwoIds(message)) {
            // Why not claimed first: one entry speaks for one id. The other one would say that it is done before it is.
            Optional<PartitionRegistry.Flight> flight =
                    Objects.requireNonNull(guard).lanes().begin(List.of(message));
            try {
                return answer(List.of(message), recorder, handlers).get(0);
            } finally {
                flight.ifPresent(PartitionRegistry.Flight::end);
            }
        }
        Care with = Objects.requireNonNull(care);
        // The inbox keeps no order for messages that the broker redelivers.
        ClaimBeforeHandling first = new ClaimBeforeHandling(
                recorder,
                store,
                with.leases(),
                consumer,
                consumer.policy().work().lease());
        Receipt answer =
                answer(List.of(message), first, stored -> HandlerTask.STORED).get(0);
        if (first.lease().isEmpty()) {
            return answer;
        }
        Lease lease = first.lease().get();
        // Crash here: the lease runs out, the crash is counted, and the next delivery is handled like this again; at
        // the third it is parked.
        LeaseRenewal.Shift shift = with.watch().begin(lease.token());
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

    private List<Receipt> answer(List<Message> messages, BatchSource source, HandlerLookup handlers) {
        try {
            BatchSource fenced = guard == null ? source : guard.lanes().fenced(messages, source);
            List<Receipt> receipts = answerOrThrow(messages, fenced, handlers);
            pauseControl.open(PauseControl.Cause.STORE_DOWN);
            return receipts;
        } catch (StoreUnavailableException down) {
            throw pausedFor(down);
        }
    }

    private InboxException pausedFor(StoreUnavailableException down) {
        Optional<String> stopped = recovery.stopIfItCannotWork(down);
        if (stopped.isPresent()) {
            return new ConsumerStoppedException(stopped.get(), down);
        }
        pauseControl.close(
                PauseControl.Cause.STORE_DOWN, "the database does not answer; it goes on by itself when it does");
        return down;
    }

    private List<Receipt> answerOrThrow(List<Message> messages, BatchSource source, HandlerLookup handlers) {
        checkNotStopped();
        Admission.Admitted admitted =
                admission.admit(messages, handlers::jobFor).inOrder(messages, consumer.policy());
        Map<Integer, Receipt> receipts = new HashMap<>(admitted.refused());
        Map<Integer, IncomingMessage> incomings = new HashMap<>();
        admitted.incomings().forEach(each -> incomings.put(each.nth(), each));
        settle(source, admitted.incomings(), receipts);
        admitted.twins()
                .forEach((nth, first) -> receipts.put(nth, twinOf(Objects.requireNonNull(receipts.get(first)))));
        settleClashes(source, admitted, receipts);
        wakeAfterResending(receipts.values());
        ReleaseOrder order = new ReleaseOrder(consumer.policy(), handlers.areRegistered());
        List<Receipt> inOrder = new ArrayList<>(messages.size());
        for (int nth = 0; nth < messages.size(); nth++) {
            Receipt receipt = order.next(messages.get(nth), Objects.requireNonNull(receipts.get(nth)));
            IncomingMessage incoming = incomings.get(nth);
            if (source.answers()) {
                events.tell(new InboxEvent.Received(consumer.name(), incoming == null ? null : incoming.id(), receipt));
            }
            inOrder.add(receipt);
        }
        return inOrder;
    }

    private void wakeAfterResending(Collection<Receipt> receipts) {
        boolean resends = consumer.policy().outgoing().onDuplicate() == OnDuplicate.RESEND;
        if (resends && receipts.stream().anyMatch(receipt -> receipt.kind() == Receipt.Kind.DUPLICATE)) {
            outboxWriter.wakeAll();
        }
    }

    /** Writes down what was counted since the last full minute. */
    public void close() {
        if (guard != null) {
            guard.lanes().close();
        }
        receiptCounter.rest().ifPresent(this::write);
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
        return callersTransaction.handle(connection, message, handler);
    }

    private void settle(BatchSource source, List<IncomingMessage> incomings, Map<Integer, Receipt> receipts) {
        HeldKeys heldKeys = new HeldKeys(consumer.policy());
        for (List<IncomingMessage> chunk : BatchSplitter.of(incomings, IncomingMessage::message)) {
            List<IncomingMessage> numbered = renumbered(chunk);
            store.prepare(numbered);
            for (AnsweredMessage answered : recovery.settle(source, numbered, heldKeys)) {
                receipts.put(chunk.get(answered.incoming().nth()).nth(), answered.receipt());
            }
        }
    }

    /** Places inside the chunk: they become the low part of arrival numbers. */
    static List<IncomingMessage> renumbered(List<IncomingMessage> chunk) {
        List<IncomingMessage> numbered = new ArrayList<>(chunk.size());
        for (IncomingMessage each : chunk) {
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
    private void settleClashes(BatchSource source, Admission.Admitted admitted, Map<Integer, Receipt> receipts) {
        admitted.clashes().forEach((clash, first) -> {
            Receipt before = Objects.requireNonNull(receipts.get(first));
            if (before.acknowledges()) {
                settle(source, List.of(clash), receipts);
            } else {
                Duration pause = before.retryAfter().orElse(ONE_SECOND);
                receipts.put(clash.nth(), Receipt.busy("the first message of its id is not settled", pause));
            }
        });
    }
}
