// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.spi.PublishResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Producer errors that cannot be provoked with a real broker; the others are tested with one. */
class KafkaPublisherTest {

    private static final ProducerSettings SETTINGS = ProducerSettings.of(Map.of("bootstrap.servers", "127.0.0.1:1"));
    private final RuntimeException fine = new RuntimeException("no error at all");
    private final RuntimeException never = new RuntimeException("no answer at all");

    private final List<Scripted> made = new ArrayList<>();
    private final Deque<RuntimeException> thrown = new ArrayDeque<>();
    private final Deque<RuntimeException> answered = new ArrayDeque<>();
    private final KafkaPublisher publisher = publisher(SETTINGS);

    private KafkaPublisher publisher(ProducerSettings settings) {
        return new KafkaPublisher(settings, Map.of(), client -> {
            Scripted producer = new Scripted();
            made.add(producer);
            return producer;
        });
    }

    /** A producer with scripted exceptions and results, one per record; accepts all further records. */
    private final class Scripted extends MockProducer<byte[], byte[]> {

        Scripted() {
            super(false, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
            RuntimeException now = thrown.isEmpty() ? fine : thrown.remove();
            if (now != fine) {
                throw now;
            }
            RuntimeException answer = answered.isEmpty() ? fine : answered.remove();
            if (answer == never) {
                return new CompletableFuture<>();
            }
            Future<RecordMetadata> future = super.send(record);
            if (answer == fine) {
                completeNext();
            } else {
                errorNext(answer);
            }
            return future;
        }
    }

    @AfterEach
    void close() {
        publisher.close();
        assertThat(made).allMatch(MockProducer::closed);
    }

    private static List<Message> messages(int count) {
        return Stream.iterate(1, n -> n + 1)
                .limit(count)
                .map(n -> Message.of("m-" + n, "Paid", "{}").keyed("k" + n))
                .toList();
    }

    private List<String> publish(int count) throws InterruptedException {
        return publisher.publish("receipts", messages(count)).stream()
                .map(KafkaPublisherTest::words)
                .toList();
    }

    private static String words(PublishResult result) {
        if (result instanceof PublishResult.Confirmed confirmed) {
            return "at " + confirmed.where();
        }
        return result.getClass().getSimpleName();
    }

    private void answers(RuntimeException... errors) {
        answered.addAll(Arrays.asList(errors));
    }

    static Stream<RuntimeException> wrongWithTheRecord() {
        return Stream.of(
                new RecordTooLargeException("large"),
                new InvalidRecordException("one without a key, in a compacted topic"),
                new InvalidTimestampException("of next year"),
                new SerializationException("odd"));
    }

    @ParameterizedTest
    @MethodSource("wrongWithTheRecord")
    void recordErrorRefusesOnlyThatRecord(RuntimeException error) throws InterruptedException {
        answers(fine, error, fine);
        assertThat(publish(3)).containsExactly("at receipts-0@0", "Refused", "at receipts-0@2");
        thrown.addAll(List.of(fine, error, fine));
        assertThat(publish(3)).containsExactly("at receipts-0@3", "Refused", "at receipts-0@4");
        assertThat(made).hasSize(1);
    }

    static Stream<RuntimeException> mayPass() {
        return Stream.of(
                new NotEnoughReplicasException("one is missing"),
                new NetworkException("gone"),
                new UnknownTopicOrPartitionException("not yet"),
                new CorruptRecordException("on the way"),
                new RecordBatchTooLargeException("together"),
                new KafkaException("in one batch with another that was refused"));
    }

    @ParameterizedTest
    @MethodSource("mayPass")
    void transientErrorFailsOnlyThatRecord(RuntimeException error) throws InterruptedException {
        answers(fine, error, fine);
        assertThat(publish(3)).containsExactly("at receipts-0@0", "Failed", "at receipts-0@2");
        assertThat(made).hasSize(1);
    }

    static Stream<RuntimeException> sameForAll() {
        return Stream.of(
                new TimeoutException("no such topic"),
                new BufferExhaustedException("no room"),
                new InvalidTopicException("no name"),
                new TopicAuthorizationException("not yours"));
    }

    @ParameterizedTest
    @MethodSource("sameForAll")
    void destinationErrorIsWaitedForOnce(RuntimeException error) throws InterruptedException {
        answers(fine, error, fine);
        assertThat(publish(5)).containsExactly("at receipts-0@0", "Failed", "Failed", "Failed", "Failed");
        assertThat(made).hasSize(1);
        assertThat(made.get(0).history()).hasSize(2);
        assertThat(publish(1)).containsExactly("at receipts-0@2");
    }

    static Stream<RuntimeException> endsTheClient() {
        return Stream.of(
                new ProducerFencedException("fenced"),
                new InvalidProducerEpochException("old"),
                new OutOfOrderSequenceException("gap"),
                new UnknownProducerIdException("who"),
                new ClusterAuthorizationException("not yours"),
                new SaslAuthenticationException("wrong password"),
                new UnsupportedVersionException("too old"),
                new KafkaException("in an error state", new ClusterAuthorizationException("not yours")),
                new IllegalStateException("closed"));
    }

    @ParameterizedTest
    @MethodSource("endsTheClient")
    void fatalErrorReplacesTheProducer(RuntimeException error) throws InterruptedException {
        answers(fine, error);
        assertThat(publish(2)).containsExactly("at receipts-0@0", "Failed");
        assertThat(made).hasSize(1);
        assertThat(made.get(0).closed()).isTrue();
        assertThat(publish(2)).containsExactly("at receipts-0@0", "at receipts-0@1");
        assertThat(made).hasSize(2);
        assertThat(made.get(1).closed()).isFalse();
    }

    @Test
    void producerInErrorStateIsReplaced() throws InterruptedException {
        thrown.addAll(List.of(fine, new KafkaException("in an error state")));
        assertThat(publish(3)).containsExactly("at receipts-0@0", "Failed", "Failed");
        assertThat(publish(1)).containsExactly("at receipts-0@0");
        assertThat(made).hasSize(2);
    }

    @Test
    void unexpectedErrorFailsOnlyThatRecord() throws InterruptedException {
        thrown.addAll(List.of(fine, new IllegalArgumentException("of a partitioner"), fine));
        assertThat(publish(3)).containsExactly("at receipts-0@0", "Failed", "at receipts-0@1");
        assertThat(made).hasSize(1);
    }

    @Test
    void silentProducerIsReplaced() throws InterruptedException {
        KafkaPublisher impatient =
                publisher(new ProducerSettings(Map.of(), Duration.ofSeconds(5), Duration.ofMillis(1)));
        answers(fine, never, fine);
        List<PublishResult> results = impatient.publish("receipts", messages(3));
        assertThat(results.stream().map(KafkaPublisherTest::words))
                .containsExactly("at receipts-0@0", "Failed", "at receipts-0@1");
        assertThat(made.get(0).closed()).isTrue();
        impatient.close();
    }

    @Test
    void interruptIsPropagated() {
        thrown.add(new InterruptException("while it had no room"));
        assertThatThrownBy(() -> publish(2)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();

        answers(never);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> publish(1)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void producerCreationIsRetried() throws InterruptedException {
        Deque<RuntimeException> refusals = new ArrayDeque<>(List.of(new KafkaException("no such host")));
        KafkaPublisher late = new KafkaPublisher(SETTINGS, Map.of(), client -> {
            if (!refusals.isEmpty()) {
                throw refusals.remove();
            }
            Producer<byte[], byte[]> producer = new Scripted();
            return producer;
        });
        assertThat(late.publish("receipts", messages(2))).hasSize(2).allMatch(PublishResult.Failed.class::isInstance);
        assertThat(late.publish("receipts", messages(2))).allMatch(PublishResult.Confirmed.class::isInstance);
        late.close();
    }

    @Test
    void producerIsCreatedLazily() throws InterruptedException {
        assertThat(publish(0)).isEmpty();
        publisher.topic("receipts", "other");
        assertThat(made).isEmpty();
    }

    @Test
    void destinationCanHaveAnotherTopic() throws InterruptedException {
        KafkaPublisher renamed = publisher.topic("receipts", "billing.receipts.v1");
        assertThat(renamed.publish("receipts", messages(1)).stream().map(KafkaPublisherTest::words))
                .containsExactly("at billing.receipts.v1-0@0");
        assertThat(renamed.publish("mails", messages(1)).stream().map(KafkaPublisherTest::words))
                .containsExactly("at mails-0@0");
        renamed.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "a b", "ä"})
    void refusesInvalidTopicNames(String name) {
        assertThatThrownBy(() -> publisher.topic("receipts", name))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("Destination receipts cannot have the topic '" + name + "'");
    }

    @Test
    void closedPublisherPublishesNothing() throws InterruptedException {
        assertThat(publish(1)).containsExactly("at receipts-0@0");
        publisher.close();
        publisher.close();
        assertThatThrownBy(() -> publish(1)).isInstanceOf(IllegalStateException.class);
        assertThat(made).hasSize(1);
    }

    @Test
    void unknownOffsetIsLeftOut() throws InterruptedException {
        KafkaPublisher silent = new KafkaPublisher(SETTINGS, Map.of(), client -> new Nowhere());
        assertThat(silent.publish("receipts", messages(1)).stream().map(KafkaPublisherTest::words))
                .containsExactly("at receipts-3");
        silent.close();
    }

    /** As after a duplicate batch whose offset the broker no longer knows. */
    private static final class Nowhere extends MockProducer<byte[], byte[]> {

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
            return CompletableFuture.completedFuture(
                    new RecordMetadata(new TopicPartition(record.topic(), 3), -1, 0, -1, 0, 0));
        }

        @Override
        public void close(Duration timeout) {
            // Nothing to close.
        }
    }
}
