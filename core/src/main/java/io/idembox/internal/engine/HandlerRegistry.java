// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.BatchHandler;
import io.idembox.EventType;
import io.idembox.Failure;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.MessageHandler;
import io.idembox.policy.UnknownType;
import io.idembox.spi.PayloadCodec;
import io.idembox.spi.PayloadValidator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Which handler gets a message. Payloads are validated and read here, before the transaction begins; what cannot be read
 * is doomed to be parked with its bytes. Thread-safe.
 */
public final class HandlerRegistry {

    private final String consumer;
    private final PayloadCodec codec;
    private final Map<EventType, Function<Message, HandlerTask>> routes = new ConcurrentHashMap<>();
    private final Map<EventType, PayloadValidator> validators = new ConcurrentHashMap<>();

    public HandlerRegistry(String consumer, PayloadCodec codec) {
        this.consumer = consumer;
        this.codec = codec;
    }

    public <T> void on(EventType type, Class<T> payload, MessageHandler<? super T> handler) {
        checkReadable(type, payload);
        add(type, message -> {
            T value = PayloadReader.read(codec, message, payload);
            return new HandlerTask.Single(context -> handler.handle(value, context), true);
        });
    }

    public <T> void onBatch(EventType type, Class<T> payload, BatchHandler<T> handler) {
        checkReadable(type, payload);
        BatchHandler<Object> untyped = (items, connection) -> handler.handle(
                items.stream()
                        .map(item -> new BatchHandler.Item<>(payload.cast(item.payload()), item.context()))
                        .toList(),
                connection);
        add(type, message -> new HandlerTask.Bulk(untyped, PayloadReader.read(codec, message, payload)));
    }

    public void validate(EventType type, PayloadValidator validator) {
        if (validators.putIfAbsent(type, validator) != null) {
            throw new InboxConfigurationException(
                    "Consumer " + consumer + " has two validators for " + type + ". Register one.");
        }
    }

    private void checkReadable(EventType type, Class<?> payload) {
        if (!PayloadReader.needsNoCodec(payload) && !codec.reads(payload)) {
            throw new InboxConfigurationException("Consumer " + consumer + " wants " + type + " as a "
                    + payload.getSimpleName()
                    + ", but nothing here can read one: add Jackson 2 or 3 to the class path, or"
                    + " give the builder a codec(...). String, byte[], Payload and Message need none.");
        }
    }

    private void add(EventType type, Function<Message, HandlerTask> route) {
        if (routes.putIfAbsent(type, route) != null) {
            throw new InboxConfigurationException("Consumer " + consumer + " has two handlers for " + type
                    + ". Which one should run? Register one handler per type and version, or use two consumers.");
        }
    }

    public boolean isEmpty() {
        return routes.isEmpty();
    }

    /** What is to be done with the message. */
    public HandlerTask jobFor(Message message, UnknownType unknown) {
        Function<Message, HandlerTask> route = routes.get(message.type());
        if (route == null) {
            return unknown(message, unknown);
        }
        try {
            PayloadValidator validator = validators.get(message.type());
            if (validator != null) {
                validator.validate(message);
            }
            return route.apply(message);
        } catch (RuntimeException | StackOverflowError | LinkageError unreadable) {
            String how = unreadable.getClass().getName();
            return new HandlerTask.Doomed(
                    ErrorText.refusal(
                            Failure.Kind.UNREADABLE,
                            how,
                            "The payload of " + message + " cannot be read as the handler wants it (" + how
                                    + "). It is parked with its raw bytes and was not handled."),
                    "UNREADABLE");
        }
    }

    private HandlerTask unknown(Message message, UnknownType unknown) {
        String text = "No handler is registered for " + message.type() + " in consumer " + consumer + " (" + message
                + "). Register one and redrive it, or discard it.";
        return switch (unknown) {
            case PARK ->
                new HandlerTask.Doomed(ErrorText.refusal(Failure.Kind.PARK, "UNKNOWN_TYPE", text), "UNKNOWN_TYPE");
            case FAIL -> new HandlerTask.Doomed(ErrorText.refusal(Failure.Kind.PERMANENT, "UNKNOWN_TYPE", text), null);
        };
    }
}
