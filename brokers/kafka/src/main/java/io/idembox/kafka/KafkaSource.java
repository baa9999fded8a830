// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.InboxConfigurationException;
import io.idembox.spi.ConsumerEndpoint;
import io.idembox.spi.RunningSource;
import io.idembox.spi.Source;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Brings the records of Kafka topics to a consumer, in either mode.
 *
 * <pre>{@code
 * inbox.subscribe("billing")
 *      .from(KafkaSource.topics(Map.of("bootstrap.servers", "localhost:9092"), "orders").firstStart(FirstStart.EARLIEST))
 *      .on("OrderPlaced", OrderPlaced.class, (order, ctx) -> charge(ctx.connection(), order))
 *      .start();
 * }</pre>
 *
 * <p>The group is named after the consumer unless {@code group.id} says otherwise. Offsets are committed by the source, after the
 * database has them; records arrive as bytes, whatever deserializers are configured. Immutable.
 */
public final class KafkaSource implements Source {

    private final Map<String, Object> config;
    private final List<String> topics;
    private final Choices choices;

    /** What can be chosen, beside Kafka's own settings. */
    record Choices(
            @Nullable FirstStart firstStart,
            OnDataLoss onDataLoss,
            RetentionCheck retention,
            int partitions,
            int batch,
            Duration drain) {

        static final Choices DEFAULTS =
                new Choices(null, OnDataLoss.STOP, RetentionCheck.REFUSE, 4, 500, Duration.ofSeconds(10));
    }

    private KafkaSource(Map<String, Object> config, List<String> topics, Choices choices) {
        this.config = config;
        this.topics = topics;
        this.choices = choices;
    }

    /** The settings are those of a Kafka consumer; the ones that would lose or repeat messages are refused at the start. */
    public static KafkaSource topics(Map<String, ?> config, String... topics) {
        return new KafkaSource(
                new LinkedHashMap<>(Objects.requireNonNull(config, "config")), List.of(topics), Choices.DEFAULTS);
    }

    public static KafkaSource topics(Properties config, String... topics) {
        return topics(ConsumerSettings.map(config), topics);
    }

    /** Where to begin with a partition that was never read. There is no default: a wrong guess loses messages. */
    public KafkaSource firstStart(FirstStart newFirstStart) {
        return with(new Choices(
                newFirstStart,
                choices.onDataLoss,
                choices.retention,
                choices.partitions,
                choices.batch,
                choices.drain));
    }

    /** What happens when records are gone before they were read; by default the partition stops. */
    public KafkaSource onDataLoss(OnDataLoss newWhenGone) {
        return with(new Choices(
                choices.firstStart, newWhenGone, choices.retention, choices.partitions, choices.batch, choices.drain));
    }

    /** What happens when a topic's retention is longer than the consumer's; by default the source does not start. */
    public KafkaSource retention(RetentionCheck newRetention) {
        return with(new Choices(
                choices.firstStart,
                choices.onDataLoss,
                newRetention,
                choices.partitions,
                choices.batch,
                choices.drain));
    }

    /** How many batches are handled at the same time; the records of one key stay in one lane. By default 4. */
    public KafkaSource lanes(int newLanes) {
        if (newLanes < 1 || newLanes > 1_000) {
            throw new IllegalArgumentException("lanes must be between 1 and 1000, was " + newLanes);
        }
        return with(new Choices(
                choices.firstStart, choices.onDataLoss, choices.retention, newLanes, choices.batch, choices.drain));
    }

    /** How many records share a transaction at most. By default 500. */
    public KafkaSource batch(int newBatch) {
        if (newBatch < 1 || newBatch > 1_000) {
            throw new IllegalArgumentException("batch must be between 1 and 1000, was " + newBatch);
        }
        return with(new Choices(
                choices.firstStart,
                choices.onDataLoss,
                choices.retention,
                choices.partitions,
                newBatch,
                choices.drain));
    }

    /** How long partitions that are taken away, and a source that is closed, wait for what is in flight. By default 10 seconds. */
    public KafkaSource drain(Duration newDrain) {
        if (newDrain.isNegative() || newDrain.compareTo(Duration.ofMinutes(4)) > 0) {
            throw new IllegalArgumentException(
                    "drain must be between 0 and 4 minutes: the group waits for it, was " + newDrain);
        }
        return with(new Choices(
                choices.firstStart,
                choices.onDataLoss,
                choices.retention,
                choices.partitions,
                choices.batch,
                newDrain));
    }

    private KafkaSource with(Choices newChoices) {
        return new KafkaSource(config, topics, newChoices);
    }

    @Override
    public RunningSource open(ConsumerEndpoint endpoint) {
        ConsumerSettings settings =
                ConsumerSettings.of(config, topics, choices, endpoint.consumer(), endpoint.policy());
        try {
            KafkaPoller feed = new KafkaPoller(settings, endpoint);
            feed.start();
            return feed;
        } catch (KafkaException unusable) {
            // Kafka's client says "failed to construct"; what is wrong is behind it.
            throw new InboxConfigurationException(
                    "Consumer " + endpoint.consumer()
                            + " cannot read from Kafka like this: its client refuses the settings ("
                            + rootOf(unusable).getMessage() + "). Mend the settings of the source.",
                    unusable);
        }
    }

    private static Throwable rootOf(Throwable thrown) {
        Throwable root = thrown;
        for (int depth = 0; depth < 20 && root.getCause() != null; depth++) {
            root = root.getCause();
        }
        return root;
    }
}
