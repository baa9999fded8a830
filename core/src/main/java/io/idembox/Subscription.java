// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import io.idembox.event.InboxEvent;
import io.idembox.intent.IntentSender;
import io.idembox.internal.InboxRuntime;
import io.idembox.internal.engine.HandlerLookup;
import io.idembox.internal.engine.HandlerRegistry;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.Receiver;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.spi.ConsumerEndpoint;
import io.idembox.spi.Delivery;
import io.idembox.spi.FlowControl;
import io.idembox.spi.Partitions;
import io.idembox.spi.PayloadValidator;
import io.idembox.spi.RunningSource;
import io.idembox.spi.Source;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A consumer, its policy and its handlers by event type and version. Register everything before the first message;
 * handling is thread-safe, registering is not.
 */
public final class Subscription {

    private final String consumer;
    private final InboxRuntime inboxRuntime;
    private final Runnable openCheck;
    private final HandlerRegistry handlerRegistry;
    private final HandlerLookup handlers = new RegisteredHandlers();
    private ConsumerPolicy policy;
    private final List<FlowControl> flows = new ArrayList<>();
    private final List<Source> sources = new ArrayList<>();
    private final Map<String, Runnable> intents = new LinkedHashMap<>();
    private boolean workersStarted;
    private int opened;
    private volatile @Nullable Receiver receiver;

    Subscription(String consumer, InboxRuntime inboxRuntime, Runnable openCheck) {
        this.consumer = consumer;
        this.inboxRuntime = inboxRuntime;
        this.openCheck = openCheck;
        this.handlerRegistry = inboxRuntime.routing(consumer, null);
        this.policy = inboxRuntime.policyOf(consumer);
    }

    /** Sets the policy of this consumer, overriding the builder of the inbox. */
    public Subscription policy(ConsumerPolicy newPolicy) {
        checkNotStarted();
        policy = newPolicy;
        return this;
    }

    public Subscription retry(RetryPolicy retry) {
        return policy(policy.retry(retry));
    }

    /** Registers a handler for version 1 of a type. */
    public <T> Subscription on(String type, Class<T> payload, MessageHandler<? super T> handler) {
        return on(type, 1, payload, handler);
    }

    /**
     * Registers a handler for one version of a type. The policy's {@code unknownType} decides about messages without a
     * handler.
     */
    public <T> Subscription on(String type, int version, Class<T> payload, MessageHandler<? super T> handler) {
        checkNotStarted();
        handlerRegistry.on(new EventType(type, version), payload, handler);
        return this;
    }

    /** Registers a handler that gets adjacent messages of a type (version 1) in one call. */
    public <T> Subscription onBatch(String type, Class<T> payload, BatchHandler<T> handler) {
        return onBatch(type, 1, payload, handler);
    }

    public <T> Subscription onBatch(String type, int version, Class<T> payload, BatchHandler<T> handler) {
        checkNotStarted();
        handlerRegistry.onBatch(new EventType(type, version), payload, handler);
        return this;
    }

    /** Validates every message of a type (version 1) before its payload is read. */
    public Subscription validate(String type, PayloadValidator validator) {
        return validate(type, 1, validator);
    }

    /** Validates every message of one version of a type before its payload is read. */
    public Subscription validate(String type, int version, PayloadValidator validator) {
        checkNotStarted();
        handlerRegistry.validate(new EventType(type, version), validator);
        return this;
    }

    /** Registers the sender of the intents with that name, with the policy in {@link ConsumerPolicy#intents}. */
    public <T> Subscription intent(String name, Class<T> request, IntentSender<T> sender) {
        return register(
                name, () -> open(name, request, sender, policy.intents().getOrDefault(name, IntentPolicy.defaults())));
    }

    /**
     * Registers the sender of the intents that handlers of this consumer record under that name, see
     * {@link HandlerContext#intend}. It runs from {@link #start} until the inbox is closed. A process that only sends
     * intents registers no handlers.
     */
    public <T> Subscription intent(String name, Class<T> request, IntentSender<T> sender, IntentPolicy intentPolicy) {
        return register(name, () -> open(name, request, sender, intentPolicy));
    }

    private Subscription register(String intent, Runnable opening) {
        checkNotStarted();
        if (intents.putIfAbsent(intent, opening) != null) {
            throw new InboxConfigurationException(
                    "Consumer " + consumer + " has two senders for intent " + intent + ". Register only one.");
        }
        return this;
    }

    private <T> void open(String name, Class<T> request, IntentSender<T> sender, IntentPolicy intentPolicy) {
        inboxRuntime.openIntent(consumer, policy, name, request, new InboxRuntime.IntentDesk<>(sender, intentPolicy));
    }

    /** Adds a source that delivers this consumer's messages, from {@link #start} until the inbox is closed. */
    public Subscription from(Source source) {
        checkNotStarted();
        sources.add(source);
        return this;
    }

    /**
     * Adds a broker connection to pause while messages cannot be handled. Takes effect at the start, or immediately if
     * already started.
     */
    public synchronized Subscription flow(FlowControl flow) {
        Receiver running = receiver;
        if (running == null) {
            flows.add(flow);
        } else {
            running.valve().add(flow);
        }
        return this;
    }

    /** Handles a message, see {@link Inbox#handle(String, Message, InboxHandler)}. */
    public Receipt handle(Message message) {
        return handleAll(List.of(message)).get(0);
    }

    /**
     * Handles many messages in one transaction, or stores them, depending on the policy's mode. Returns one receipt per
     * message, in order.
     */
    public List<Receipt> handleAll(List<Message> messages) {
        Receiver running = started();
        checkHandles();
        return switch (policy.mode()) {
            case DIRECT -> running.receive(messages, handlers);
            case STORED -> notifyStored(running.store(messages));
        };
    }

    /**
     * Handles deliveries, and acknowledges each after the commit or releases it. If it throws, none of them is
     * acknowledged or released, and the broker delivers all of them again. It throws {@link StoreUnavailableException},
     * {@link ConsumerStoppedException}, {@link InboxConfigurationException} inside a transaction of the application,
     * and every {@link VirtualMachineError} of a handler other than {@link StackOverflowError}.
     */
    public List<Receipt> receive(List<? extends Delivery> deliveries) {
        Receiver running = started();
        checkHandles();
        return receive(running, deliveries);
    }

    private List<Receipt> receive(Receiver running, List<? extends Delivery> deliveries) {
        return switch (policy.mode()) {
            case DIRECT -> running.receiveDeliveries(deliveries, handlers);
            case STORED -> notifyStored(running.storeDeliveries(deliveries));
        };
    }

    /**
     * Starts the sources and the workers. Workers handle stored messages, failed messages that the inbox retries, and,
     * in every mode, messages that an operator redrives. They run until the inbox is closed. The first message starts
     * them too; call this on a node whose messages come from a source, or that only handles messages stored by other
     * nodes.
     */
    public Subscription start() {
        started();
        return this;
    }

    /** Looks up handlers of this subscription. */
    private final class RegisteredHandlers implements HandlerLookup {

        @Override
        public HandlerTask jobFor(Message message) {
            return Subscription.this.jobFor(message);
        }

        @Override
        public boolean areRegistered() {
            return true;
        }
    }

    private HandlerTask jobFor(Message message) {
        return handlerRegistry.jobFor(message, policy.unknownType());
    }

    private List<Receipt> notifyStored(List<Receipt> receipts) {
        inboxRuntime.stored(consumer, receipts);
        return receipts;
    }

    private Receiver started() {
        openCheck.run();
        Receiver running = receiver;
        return running == null ? startOnce() : running;
    }

    /** Race: two threads may bring the first message at the same time; workers are started once. */
    private synchronized Receiver startOnce() {
        Receiver running = receiver;
        if (running == null) {
            checkReady();
            running = inboxRuntime.receiver(consumer, policy);
            if (!workersStarted) {
                intents.values().forEach(Runnable::run);
                if (!handlerRegistry.isEmpty()) {
                    inboxRuntime.startCrew(consumer, policy, this::jobFor);
                }
                workersStarted = true;
            }
            open(running);
            flows.forEach(running.valve()::add);
            receiver = running;
        }
        return running;
    }

    /** If a source fails to open, the next start continues with that source. */
    private void open(Receiver running) {
        for (; opened < sources.size(); opened++) {
            RunningSource runningSource = inboxRuntime.open(consumer, sources.get(opened), new Endpoint(running));
            running.valve().add(runningSource);
        }
    }

    private void checkReady() {
        if (intents.isEmpty() || !sources.isEmpty()) {
            checkHandles();
        }
    }

    /** A process that only sends intents must not park messages that other processes handle. */
    private void checkHandles() {
        if (handlerRegistry.isEmpty()) {
            throw new InboxConfigurationException(
                    "Consumer " + consumer + " has no handler. Register one with on(type, class, handler).");
        }
    }

    /** This consumer as seen by a source. */
    private final class Endpoint implements ConsumerEndpoint {

        private final Receiver running;

        Endpoint(Receiver running) {
            this.running = running;
        }

        @Override
        public String consumer() {
            return consumer;
        }

        @Override
        public String originalName() {
            return running.consumer().firstName();
        }

        @Override
        public ConsumerPolicy policy() {
            return policy;
        }

        /** Works while the inbox is being closed, so that a source can finish deliveries in flight. */
        @Override
        public List<Receipt> receive(List<? extends Delivery> deliveries) {
            return Subscription.this.receive(running, deliveries);
        }

        @Override
        public Partitions partitions() {
            return running.lanes();
        }

        @Override
        public void publish(InboxEvent event) {
            inboxRuntime.tell(event);
        }
    }

    private void checkNotStarted() {
        if (receiver != null) {
            throw new InboxConfigurationException("Consumer " + consumer
                    + " is already started. Register handlers and set the policy before the first message.");
        }
    }
}
