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
    private final HandlerLookup handlers = new Registered();
    private ConsumerPolicy policy;
    private final List<FlowControl> flows = new ArrayList<>();
    private final List<Source> sources = new ArrayList<>();
    private final Map<String, Runnable> intents = new LinkedHashMap<>();
    private boolean crewed;
    private int opened;
    private volatile @Nullable Receiver receiver;

    Subscription(String consumer, InboxRuntime inboxRuntime, Runnable openCheck) {
        this.consumer = consumer;
        this.inboxRuntime = inboxRuntime;
        this.openCheck = openCheck;
        this.handlerRegistry = inboxRuntime.routing(consumer, null);
        this.policy = inboxRuntime.policyOf(consumer);
    }

    /** How this consumer behaves, instead of what the builder said. */
    public Subscription policy(ConsumerPolicy newPolicy) {
        checkNotStarted();
        policy = newPolicy;
        return this;
    }

    public Subscription retry(RetryPolicy retry) {
        return policy(policy.retry(retry));
    }

    /** Handles version 1 of a type. */
    public <T> Subscription on(String type, Class<T> payload, MessageHandler<? super T> handler) {
        return on(type, 1, payload, handler);
    }

    /** Handles one version of a type. What no handler is registered for is parked or fails, as the policy says. */
    public <T> Subscription on(String type, int version, Class<T> payload, MessageHandler<? super T> handler) {
        checkNotStarted();
        handlerRegistry.on(new EventType(type, version), payload, handler);
        return this;
    }

    /** Handles all neighbouring messages of a type (version 1) with one call. */
    public <T> Subscription onBatch(String type, Class<T> payload, BatchHandler<T> handler) {
        return onBatch(type, 1, payload, handler);
    }

    public <T> Subscription onBatch(String type, int version, Class<T> payload, BatchHandler<T> handler) {
        checkNotStarted();
        handlerRegistry.onBatch(new EventType(type, version), payload, handler);
        return this;
    }

    /** Looks at every message of a type (version 1) before its payload is read. */
    public Subscription validate(String type, PayloadValidator validator) {
        return validate(type, 1, validator);
    }

    /** Looks at every message of one version of a type before its payload is read. */
    public Subscription validate(String type, int version, PayloadValidator validator) {
        checkNotStarted();
        handlerRegistry.validate(new EventType(type, version), validator);
        return this;
    }

    /** Brings about what handlers intend under that name, as the consumer's policy says ({@link ConsumerPolicy#intents}). */
    public <T> Subscription intent(String name, Class<T> request, IntentSender<T> sender) {
        return register(
                name, () -> open(name, request, sender, policy.intents().getOrDefault(name, IntentPolicy.defaults())));
    }

    /**
     * Brings about what handlers of this consumer intend under that name, see {@link HandlerContext#intend}: from {@link #start} on
     * until the inbox is closed. A process that only does that registers no handlers.
     */
    public <T> Subscription intent(String name, Class<T> request, IntentSender<T> sender, IntentPolicy intentPolicy) {
        return register(name, () -> open(name, request, sender, intentPolicy));
    }

    private Subscription register(String intent, Runnable opening) {
        checkNotStarted();
        if (intents.putIfAbsent(intent, opening) != null) {
            throw new InboxConfigurationException(
                    "Consumer " + consumer + " has two senders for the intent " + intent + ". Register one.");
        }
        return this;
    }

    private <T> void open(String name, Class<T> request, IntentSender<T> sender, IntentPolicy intentPolicy) {
        inboxRuntime.openIntent(consumer, policy, name, request, new InboxRuntime.IntentDesk<>(sender, intentPolicy));
    }

    /** A broker that brings this consumer's messages by itself, from {@link #start} on until the inbox is closed. */
    public Subscription from(Source source) {
        checkNotStarted();
        sources.add(source);
        return this;
    }

    /** A broker that can be told to bring nothing while nothing can be handled. It is told from the start on, or from now. */
    public synchronized Subscription flow(FlowControl flow) {
        Receiver running = receiver;
        if (running == null) {
            flows.add(flow);
        } else {
            running.valve().add(flow);
        }
        return this;
    }

    /** Handles a message; see {@link Inbox#handle(String, Message, InboxHandler)}. */
    public Receipt handle(Message message) {
        return handleAll(List.of(message)).get(0);
    }

    /** Handles many messages in one transaction, or stores them, as the policy's mode says; one receipt for each. */
    public List<Receipt> handleAll(List<Message> messages) {
        Receiver running = started();
        checkHandles();
        return switch (policy.mode()) {
            case DIRECT -> running.receive(messages, handlers);
            case STORED -> woken(running.store(messages));
        };
    }

    /**
     * Handles deliveries, and acknowledges each after the commit or releases it. When it throws, none of
     * them is acknowledged or released, and the broker delivers all of them again: {@link StoreUnavailableException}, {@link
     * ConsumerStoppedException}, {@link InboxConfigurationException} inside a transaction of the application, and every
     * {@link VirtualMachineError} of a handler other than {@link StackOverflowError}.
     */
    public List<Receipt> receive(List<? extends Delivery> deliveries) {
        Receiver running = started();
        checkHandles();
        return receive(running, deliveries);
    }

    private List<Receipt> receive(Receiver running, List<? extends Delivery> deliveries) {
        return switch (policy.mode()) {
            case DIRECT -> running.receiveDeliveries(deliveries, handlers);
            case STORED -> woken(running.storeDeliveries(deliveries));
        };
    }

    /**
     * Starts the sources and the workers: for what is stored, for failed messages that the inbox tries again itself, and, in
     * every mode, for what somebody redrives. They work until the inbox is closed. The first message starts them too; a node
     * whose messages come from a source, or which only works on what others store, calls this.
     */
    public Subscription start() {
        started();
        return this;
    }

    /** What this subscription does with messages. */
    private final class Registered implements HandlerLookup {

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

    private List<Receipt> woken(List<Receipt> receipts) {
        inboxRuntime.stored(consumer, receipts);
        return receipts;
    }

    private Receiver started() {
        openCheck.run();
        Receiver running = receiver;
        return running == null ? startedOnce() : running;
    }

    /** Two threads may bring the first message together; the consumer gets one crew. */
    private synchronized Receiver startedOnce() {
        Receiver running = receiver;
        if (running == null) {
            checkReady();
            running = inboxRuntime.receiver(consumer, policy);
            if (!crewed) {
                intents.values().forEach(Runnable::run);
                if (!handlerRegistry.isEmpty()) {
                    inboxRuntime.startCrew(consumer, policy, this::jobFor);
                }
                crewed = true;
            }
            open(running);
            flows.forEach(running.valve()::add);
            receiver = running;
        }
        return running;
    }

    /** If a source refuses, whoever starts the subscription again goes on with that one. */
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

    /** Who only brings intents about must not park what others handle. */
    private void checkHandles() {
        if (handlerRegistry.isEmpty()) {
            throw new InboxConfigurationException(
                    "Consumer " + consumer + " has no handler. Register one with on(type, class, handler).");
        }
    }

    /** What a source sees of this consumer. */
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
        public String firstName() {
            return running.consumer().firstName();
        }

        @Override
        public ConsumerPolicy policy() {
            return policy;
        }

        /** Also while the inbox is being closed: what the source has begun may end. */
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
            throw new InboxConfigurationException(
                    "Consumer " + consumer + " has begun to handle messages. Register handlers and policy before.");
        }
    }
}
