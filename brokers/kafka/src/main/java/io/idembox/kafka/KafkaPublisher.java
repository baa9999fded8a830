// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.spi.PublishResult;
import io.idembox.spi.Publisher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages of the outbox to Kafka topics, as CloudEvents in binary mode.
 *
 * <pre>{@code
 * KafkaPublisher.on(Map.of("bootstrap.servers", "localhost:9092")).topic("receipts", "billing.receipts.v1");
 * }</pre>
 *
 * <p>A destination is the topic of the same name by default. The producer is Kafka's idempotent one, shared by all
 * threads. It is created when the first message is published, so Kafka may be down at the start, and replaced after
 * fatal errors. A message is confirmed when all in-sync replicas have it.
 *
 * <p>A message whose confirmation is lost is published again with the same id, so readers must deduplicate by id. A
 * message is never reported as confirmed without being in the topic.
 *
 * <p>Thread-safe and immutable: {@link #topic} returns another publisher with a producer of its own.
 */
public final class KafkaPublisher implements Publisher {

    private final ProducerSettings settings;
    private final Map<String, String> topics;
    private final Function<Map<String, Object>, Producer<byte[], byte[]>> factory;
    private final SharedProducer sharedProducer;

    KafkaPublisher(
            ProducerSettings settings,
            Map<String, String> topics,
            Function<Map<String, Object>, Producer<byte[], byte[]>> maker) {
        this.settings = settings;
        this.topics = topics;
        this.factory = maker;
        this.sharedProducer = new SharedProducer(() -> maker.apply(settings.client()));
    }

    /**
     * Creates a publisher; does not connect to Kafka yet.
     *
     * @param config the settings of a Kafka producer
     * @throws InboxConfigurationException for settings that would lose, repeat or reorder messages
     */
    public static KafkaPublisher on(Map<String, ?> config) {
        return new KafkaPublisher(
                ProducerSettings.of(Objects.requireNonNull(config, "config")),
                Map.of(),
                client -> new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer()));
    }

    public static KafkaPublisher on(Properties config) {
        return on(ConsumerSettings.map(config));
    }

    /** Configures the topic of a destination, instead of the one with the same name. */
    public KafkaPublisher topic(String destination, String topic) {
        Objects.requireNonNull(destination, "destination");
        if (!topic.matches("[a-zA-Z0-9._-]{1,249}") || topic.equals(".") || topic.equals("..")) {
            throw new InboxConfigurationException("Destination " + destination + " cannot have the topic '" + topic
                    + "': topic names have 1 to 249 letters, digits, dots, underscores or dashes. Change the name.");
        }
        Map<String, String> more = new LinkedHashMap<>(topics);
        more.put(destination, topic);
        return new KafkaPublisher(settings, Map.copyOf(more), factory);
    }

    @Override
    public List<PublishResult> publish(String destination, List<Message> messages) throws InterruptedException {
        if (messages.isEmpty()) {
            return List.of();
        }
        Producer<byte[], byte[]> producer;
        try {
            producer = sharedProducer.get();
        } catch (KafkaException unusable) {
            return messages.stream()
                    .map(message -> SendError.resultOf(unusable))
                    .toList();
        }
        Call call = new Call(producer, topics.getOrDefault(destination, destination), destination);
        List<PublishResult> results = call.sendAll(messages);
        Throwable fatal = call.fatal;
        if (fatal != null) {
            sharedProducer.replace(producer, fatal);
        } else if (results.stream().allMatch(PublishResult.Confirmed.class::isInstance)) {
            sharedProducer.reportSuccess(producer);
        }
        return results;
    }

    /** Waits for records in flight, at most ten seconds. */
    @Override
    public void close() {
        sharedProducer.close();
    }

    /** The state of one call of {@link #publish}, used by one thread. */
    private final class Call {

        private final Producer<byte[], byte[]> producer;
        private final String topic;
        private final String destination;
        private final long began = System.nanoTime();
        private @Nullable Throwable fatal;
        private @Nullable Throwable abortCause;

        Call(Producer<byte[], byte[]> producer, String topic, String destination) {
            this.producer = producer;
            this.topic = topic;
            this.destination = destination;
        }

        List<PublishResult> sendAll(List<Message> messages) throws InterruptedException {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (Message message : messages) {
                sent.add(send(message));
            }
            // Crash here: Kafka may have some or all of them, and none was reported as confirmed. They are published
            // again, with the same ids.
            long deadline = System.nanoTime() + settings.answerTimeout().toNanos();
            List<PublishResult> results = new ArrayList<>();
            for (Future<RecordMetadata> future : sent) {
                results.add(await(future, deadline));
            }
            return List.copyOf(results);
        }

        private Future<RecordMetadata> send(Message message) throws InterruptedException {
            if (abortCause == null
                    && System.nanoTime() - began > settings.deliveryTimeout().toNanos()) {
                abortCause = new TimeoutException(
                        "Kafka's producer had no buffer space within " + settings.deliveryTimeout());
            }
            if (abortCause != null) {
                return CompletableFuture.failedFuture(abortCause);
            }
            ProducerRecord<byte[], byte[]> record;
            try {
                record = KafkaRecords.of(topic, destination, message);
            } catch (RuntimeException odd) {
                return CompletableFuture.failedFuture(
                        new SerializationException("The message cannot be converted to a Kafka record", odd));
            }
            try {
                Future<RecordMetadata> future = producer.send(record);
                failFast(future);
                return future;
            } catch (InterruptException stopped) {
                throw interrupted(stopped);
            } catch (KafkaException unusable) {
                if (!(unusable instanceof ApiException) && !(unusable instanceof SerializationException)) {
                    markFatal(unusable);
                }
                return CompletableFuture.failedFuture(unusable);
            } catch (RuntimeException odd) {
                return CompletableFuture.failedFuture(odd);
            }
        }

        /**
         * Fails the remaining records of the call early. A record that found no topic, no buffer space or no access has
         * already waited for it; the others go to the same topic, and each of them would wait as long.
         */
        private void failFast(Future<RecordMetadata> future) throws InterruptedException {
            if (!future.isDone()) {
                return;
            }
            try {
                future.get();
            } catch (ExecutionException failed) {
                Throwable error = failed.getCause();
                if (error instanceof TimeoutException
                        || error instanceof AuthenticationException
                        || error instanceof AuthorizationException
                        || error instanceof InvalidTopicException) {
                    abortCause = error;
                }
            }
        }

        private PublishResult await(Future<RecordMetadata> future, long deadline) throws InterruptedException {
            try {
                RecordMetadata there = future.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                return new PublishResult.Confirmed(
                        there.topic() + "-" + there.partition() + (there.hasOffset() ? "@" + there.offset() : ""));
            } catch (ExecutionException failed) {
                Throwable error = Objects.requireNonNullElse(failed.getCause(), failed);
                if (SendError.isFatalForProducer(error)) {
                    markFatal(error);
                }
                return SendError.resultOf(error);
            } catch (java.util.concurrent.TimeoutException lost) {
                TimeoutException late = new TimeoutException(
                        "Kafka's producer did not answer within " + settings.answerTimeout(), lost);
                markFatal(late);
                return SendError.resultOf(late);
            }
        }

        private void markFatal(Throwable error) {
            if (fatal == null) {
                fatal = error;
                abortCause = error;
            }
        }
    }

    /** Converts Kafka's unchecked exception, which sets the interrupt flag, to the checked one. */
    private static InterruptedException interrupted(InterruptException stopped) {
        Thread.interrupted();
        InterruptedException interrupted =
                new InterruptedException("Interrupted while waiting for buffer space of Kafka's producer");
        interrupted.initCause(stopped);
        return interrupted;
    }
}
