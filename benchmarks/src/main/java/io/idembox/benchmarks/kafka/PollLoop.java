// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.kafka;

import io.idembox.Message;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.accounts.HandWritten;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import io.idembox.kafka.KafkaMessages;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** P: a plain poll loop around the hand-written consumer: a transaction for each record, offsets committed after each poll. */
final class PollLoop implements Strategy {

    private final Topics topics;
    private final HandWritten byHand;
    private final int stock;
    private String topic = "";
    private int left;

    PollLoop(Topics topics, HandWritten byHand, int stock) {
        this.topics = topics;
        this.byHand = byHand;
        this.stock = stock;
    }

    @Override
    public String name() {
        return "P";
    }

    @Override
    public int batchSize() {
        return 1;
    }

    @Override
    public String effects() {
        return Accounts.EFFECTS;
    }

    @Override
    public boolean worksOff() {
        return true;
    }

    @Override
    public void prepare(Feed feed) throws Exception {
        topic = topics.fill(feed, stock);
        left = stock;
    }

    @Override
    public Tally consume(Feed nothing) throws Exception {
        Tally tally = Tally.NOTHING;
        if (left == 0) {
            return tally;
        }
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", topics.bootstrap(),
                        "group.id", "by-hand",
                        "enable.auto.commit", "false",
                        "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (left > 0) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    tally = tally.plus(byHand.handle(identified(record)));
                    left--;
                }
                consumer.commitSync();
            }
        }
        return tally;
    }

    private static Message identified(ConsumerRecord<byte[], byte[]> record) {
        Message message = KafkaMessages.of(record);
        return Message.of(
                        message.headers().text("ce_id").orElseThrow(),
                        message.type().name(),
                        message.payload())
                .keyed(message.key().orElseThrow());
    }
}
