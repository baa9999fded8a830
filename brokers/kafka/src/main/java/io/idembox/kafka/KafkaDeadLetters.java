// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.admin.DeadLetter;
import io.idembox.admin.ImportReport;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.OldDeadLetters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Imports a dead-letter topic of Spring Kafka or SmallRye. Its records become parked messages of a consumer, under the
 * identity that they had in their original topic.
 *
 * <pre>{@code
 * var report = KafkaDeadLetters.topic(config, "orders-dlt").adoptInto(inbox.admin(), "billing");
 * }</pre>
 *
 * <p>Reads the topic from its beginning to its end at the start of the call, without a group, and does not change it. A
 * second import reports every message as known. Immutable; thread-safe.
 */
public final class KafkaDeadLetters {

    private static final Logger log = LoggerFactory.getLogger(KafkaDeadLetters.class);

    private static final int BATCH = 500;
    private static final int BUSY_TRIES = 20;
    private static final int MAX_NOTES = 100;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PROGRESS_EVERY = Duration.ofSeconds(5);

    private final Map<String, Object> config;
    private final String topic;
    private final @Nullable String group;
    private final RetentionCheck retention;

    private KafkaDeadLetters(Map<String, ?> config, String topic, @Nullable String group, RetentionCheck retention) {
        this.config = new HashMap<>(config);
        this.topic = Objects.requireNonNull(topic, "topic");
        this.group = group;
        this.retention = Objects.requireNonNull(retention, "retention");
    }

    /**
     * Imports this topic.
     *
     * @param config the settings of a Kafka consumer: the addresses of the brokers and the security settings
     */
    public static KafkaDeadLetters topic(Map<String, ?> config, String topic) {
        return new KafkaDeadLetters(config, topic, null, RetentionCheck.REFUSE);
    }

    /**
     * Imports only the dead letters of this group, for a topic that several groups write to. Only Spring Kafka records
     * the group: records of SmallRye are left out.
     */
    public KafkaDeadLetters ofGroup(String newGroup) {
        return new KafkaDeadLetters(config, topic, Objects.requireNonNull(newGroup, "group"), retention);
    }

    /**
     * The reaction to records without a ledger row that were sent longer ago than {@code retention.ledger}: a redrive
     * might repeat their effects. The default refuses them; {@code WARN} and {@code OFF} import them.
     */
    public KafkaDeadLetters retention(RetentionCheck newRetention) {
        return new KafkaDeadLetters(config, topic, group, newRetention);
    }

    /**
     * The result of an import, as numbers of records.
     *
     * @param read records read from the topic
     * @param parked imported as parked messages
     * @param known already known to the inbox and left unchanged
     * @param conflicts with another payload than the known message of the same id; parked beside it
     * @param withoutOrigin without readable headers that name their origin
     * @param otherGroups of another group
     * @param refused refused by the consumer's policy, older than {@code retention.ledger}, or still being recorded by
     *     another process at the end
     * @param words which records were not imported and why; the first hundred
     */
    public record Report(
            long read,
            long parked,
            long known,
            long conflicts,
            long withoutOrigin,
            long otherGroups,
            long refused,
            List<String> words) {

        public Report {
            words = List.copyOf(words);
        }
    }

    /**
     * Reads the topic once and imports its records. Up to 500 records share a transaction; after an error, import
     * again.
     *
     * @throws IllegalArgumentException when the topic does not exist, or the inbox does not know the policy of the
     *     consumer
     * @throws io.idembox.StoreUnavailableException when the database does not answer
     * @throws org.apache.kafka.common.KafkaException when Kafka does not answer
     */
    public Report adoptInto(InboxAdmin admin, String consumer) {
        try (KafkaConsumer<byte[], byte[]> reader = new KafkaConsumer<>(client())) {
            return new Reading(admin, consumer).readAll(reader);
        }
    }

    private Map<String, Object> client() {
        Map<String, Object> client = new HashMap<>(config);
        client.remove(ConsumerConfig.GROUP_ID_CONFIG);
        client.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        client.remove("group.protocol");
        client.remove("group.remote.assignor");
        client.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        client.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        client.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        client.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        client.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        client.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        client.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, String.valueOf(BATCH));
        return client;
    }

    /** One pass through the topic. */
    private final class Reading {

        private final InboxAdmin admin;
        private final String consumer;
        private final List<String> words = new ArrayList<>();
        private final Map<ImportReport.Outcome, Long> outcomes = new HashMap<>();
        private long read;
        private long withoutOrigin;
        private long otherGroups;
        private long old;

        Reading(InboxAdmin admin, String consumer) {
            this.admin = admin;
            this.consumer = consumer;
        }

        Report readAll(KafkaConsumer<byte[], byte[]> reader) {
            Map<TopicPartition, Long> ends = ends(reader);
            reader.assign(ends.keySet());
            reader.seekToBeginning(ends.keySet());
            long nextSaying = System.nanoTime() + PROGRESS_EVERY.toNanos();
            long lastHeard = System.nanoTime();
            while (!isAtEnd(reader, ends)) {
                ConsumerRecords<byte[], byte[]> records = reader.poll(Duration.ofMillis(500));
                long now = System.nanoTime();
                if (!records.isEmpty()) {
                    importAll(records, ends);
                    lastHeard = System.nanoTime();
                } else if (now - lastHeard > TIMEOUT.toNanos()) {
                    throw new TimeoutException("Kafka delivered no record of " + topic + " for " + TIMEOUT.toSeconds()
                            + " seconds. Records imported so far are kept; import the topic again.");
                }
                if (now - nextSaying > 0) {
                    nextSaying = now + PROGRESS_EVERY.toNanos();
                    log.info("Consumer {}: read {} records of {} so far.", consumer, read, topic);
                }
            }
            return report();
        }

        private Map<TopicPartition, Long> ends(KafkaConsumer<byte[], byte[]> reader) {
            List<PartitionInfo> partitions = reader.partitionsFor(topic, TIMEOUT);
            if (partitions == null || partitions.isEmpty()) {
                throw new IllegalArgumentException(
                        "Kafka has no topic " + topic + ". Nothing was imported. Check the name.");
            }
            return reader.endOffsets(
                    partitions.stream()
                            .map(partition -> new TopicPartition(topic, partition.partition()))
                            .toList(),
                    TIMEOUT);
        }

        private boolean isAtEnd(KafkaConsumer<byte[], byte[]> reader, Map<TopicPartition, Long> ends) {
            return ends.entrySet().stream().allMatch(end -> reader.position(end.getKey(), TIMEOUT) >= end.getValue());
        }

        private void importAll(ConsumerRecords<byte[], byte[]> records, Map<TopicPartition, Long> ends) {
            List<DeadLetter> letters = new ArrayList<>();
            List<String> sequenceNumbers = new ArrayList<>();
            for (ConsumerRecord<byte[], byte[]> record : records) {
                String sequenceNumber = record.topic() + "-" + record.partition() + "@" + record.offset();
                if (record.offset() >= ends.getOrDefault(new TopicPartition(topic, record.partition()), 0L)) {
                    continue;
                }
                read++;
                DeadLetterRecord dead = DeadLetterRecord.of(record);
                if (dead.error() != null) {
                    withoutOrigin++;
                    note(sequenceNumber, dead.error());
                } else if (group != null && !group.equals(dead.group())) {
                    otherGroups++;
                } else {
                    letters.add(Objects.requireNonNull(dead.deadLetter()));
                    sequenceNumbers.add(sequenceNumber);
                }
            }
            importAll(letters, sequenceNumbers);
        }

        /** Retries a limited number of times the records that another process is recording right now. */
        private void importAll(List<DeadLetter> letters, List<String> sequenceNumbers) {
            List<DeadLetter> open = letters;
            List<String> openPlaces = sequenceNumbers;
            for (int tries = 1; !open.isEmpty(); tries++) {
                List<ImportReport.Line> lines = admin.importDeadLetters(consumer, open, oldDeadLetters())
                        .lines();
                List<DeadLetter> busy = new ArrayList<>();
                List<String> busyPlaces = new ArrayList<>();
                for (int i = 0; i < lines.size(); i++) {
                    ImportReport.Line line = lines.get(i);
                    if (line.outcome() == ImportReport.Outcome.BUSY && tries < BUSY_TRIES) {
                        busy.add(open.get(i));
                        busyPlaces.add(openPlaces.get(i));
                        continue;
                    }
                    outcomes.merge(line.outcome(), 1L, Long::sum);
                    switch (line.outcome()) {
                        case REFUSED, BUSY -> note(openPlaces.get(i), line.description());
                        case TOO_OLD ->
                            note(
                                    openPlaces.get(i),
                                    line.description()
                                            + ". If the consumer never handled it, import it with retention(WARN)");
                        case PARKED -> old += line.description().isEmpty() ? 0 : 1;
                        case KNOWN, CONFLICT -> {}
                    }
                }
                open = busy;
                openPlaces = busyPlaces;
                if (!open.isEmpty()) {
                    LockSupport.parkNanos(this, Duration.ofMillis(100).toNanos());
                }
            }
        }

        private OldDeadLetters oldDeadLetters() {
            return retention == RetentionCheck.REFUSE ? OldDeadLetters.REFUSE : OldDeadLetters.PARK;
        }

        private void note(String sequenceNumber, String why) {
            if (words.size() < MAX_NOTES) {
                words.add(sequenceNumber + ": " + why);
                log.warn("Consumer {}: {} was not imported: {}", consumer, sequenceNumber, why);
            }
        }

        private Report report() {
            Report report = new Report(
                    read,
                    outcomes.getOrDefault(ImportReport.Outcome.PARKED, 0L),
                    outcomes.getOrDefault(ImportReport.Outcome.KNOWN, 0L),
                    outcomes.getOrDefault(ImportReport.Outcome.CONFLICT, 0L),
                    withoutOrigin,
                    otherGroups,
                    outcomes.getOrDefault(ImportReport.Outcome.REFUSED, 0L)
                            + outcomes.getOrDefault(ImportReport.Outcome.TOO_OLD, 0L)
                            + outcomes.getOrDefault(ImportReport.Outcome.BUSY, 0L),
                    words);
            log.info(
                    "Consumer {}: imported {}: {} records, {} parked, {} known, {} conflicts, {} without origin, {} of other"
                            + " groups, {} refused.",
                    consumer,
                    topic,
                    report.read(),
                    report.parked(),
                    report.known(),
                    report.conflicts(),
                    report.withoutOrigin(),
                    report.otherGroups(),
                    report.refused());
            if (old > 0 && retention == RetentionCheck.WARN) {
                log.warn(
                        "Consumer {}: {} of the parked records of {} were sent longer ago than retention.ledger, so their ledger rows may be"
                                + " purged. Before a redrive, check that the consumer has not completed them.",
                        consumer,
                        old,
                        topic);
            }
            return report;
        }
    }
}
