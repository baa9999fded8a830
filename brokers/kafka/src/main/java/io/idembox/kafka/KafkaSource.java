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
 * Delivers the records of Kafka topics to a consumer, in either mode.
 *
 * <pre>{@code
 * inbox.subscribe("billing")
 *      .from(KafkaSource.topics(Map.of("bootstrap.servers", "localhost:9092"), "orders").firstStart(FirstStart.EARLIEST))
 *      .on("OrderPlaced", OrderPlaced.class, (order, ctx) -> charge(ctx.connection(), order))
 *      .start();
 * }</pre>
 *
 * <p>{@code group.id} defaults to the consumer's name. The source commits offsets after the positions are saved in the
 * database. Records arrive as bytes; configured deserializers are ignored. Immutable.
 */
public final class KafkaSource implements Source {

    private final Map<String, Object> config;
    private final List<String> topics;
    private final Options options;

    /** The options of a source, beside Kafka's own settings. */
    record Options(
            @Nullable FirstStart firstStart,
            OnDataLoss onDataLoss,
            RetentionCheck retention,
            int workers,
            int batch,
            Duration drain) {

        static final Options DEFAULTS =
                new Options(null, OnDataLoss.STOP, RetentionCheck.REFUSE, 4, 500, Duration.ofSeconds(10));
    }

    private KafkaSource(Map<String, Object> config, List<String> topics, Options options) {
        this.config = config;
        this.topics = topics;
        this.options = options;
    }

    /**
     * Reads these topics.
     *
     * @param config the settings of a Kafka consumer; those that would lose or repeat messages are refused at the start
     */
    public static KafkaSource topics(Map<String, ?> config, String... topics) {
        return new KafkaSource(
                new LinkedHashMap<>(Objects.requireNonNull(config, "config")), List.of(topics), Options.DEFAULTS);
    }

    public static KafkaSource topics(Properties config, String... topics) {
        return topics(ConsumerSettings.map(config), topics);
    }

    /** Where to start in a partition that was never read. There is no default: a wrong guess loses messages. */
    public KafkaSource firstStart(FirstStart newFirstStart) {
        return with(new Options(
                newFirstStart, options.onDataLoss, options.retention, options.workers, options.batch, options.drain));
    }

    /** The reaction when Kafka lost records before they were read. The default is {@link OnDataLoss#STOP}. */
    public KafkaSource onDataLoss(OnDataLoss newWhenGone) {
        return with(new Options(
                options.firstStart, newWhenGone, options.retention, options.workers, options.batch, options.drain));
    }

    /**
     * The reaction when a topic keeps records for longer than {@code retention.ledger}. The default is {@link
     * RetentionCheck#REFUSE}: the source does not start.
     */
    public KafkaSource retention(RetentionCheck newRetention) {
        return with(new Options(
                options.firstStart, options.onDataLoss, newRetention, options.workers, options.batch, options.drain));
    }

    /**
     * How many worker threads handle batches at the same time. The records of a partition are spread over as many
     * queues by key, so the records of one key stay in order. The default is 4.
     */
    public KafkaSource lanes(int newLanes) {
        if (newLanes < 1 || newLanes > 1_000) {
            throw new IllegalArgumentException("lanes must be between 1 and 1000, was " + newLanes);
        }
        return with(new Options(
                options.firstStart, options.onDataLoss, options.retention, newLanes, options.batch, options.drain));
    }

    /** How many records share a transaction at most. The default is 500. */
    public KafkaSource batch(int newBatch) {
        if (newBatch < 1 || newBatch > 1_000) {
            throw new IllegalArgumentException("batch must be between 1 and 1000, was " + newBatch);
        }
        return with(new Options(
                options.firstStart, options.onDataLoss, options.retention, options.workers, newBatch, options.drain));
    }

    /**
     * How long a revoked partition, or a source that is closed, waits for handlers in flight. The default is 10
     * seconds.
     */
    public KafkaSource drain(Duration newDrain) {
        if (newDrain.isNegative() || newDrain.compareTo(Duration.ofMinutes(4)) > 0) {
            throw new IllegalArgumentException(
                    "drain must be between 0 and 4 minutes, because the group waits for it; was " + newDrain);
        }
        return with(new Options(
                options.firstStart, options.onDataLoss, options.retention, options.workers, options.batch, newDrain));
    }

    private KafkaSource with(Options newChoices) {
        return new KafkaSource(config, topics, newChoices);
    }

    @Override
    public RunningSource open(ConsumerEndpoint endpoint) {
        ConsumerSettings settings =
                ConsumerSettings.of(config, topics, options, endpoint.consumer(), endpoint.policy());
        try {
            KafkaPoller feed = new KafkaPoller(settings, endpoint);
            feed.start();
            return feed;
        } catch (KafkaException unusable) {
            // Kafka's client reports "failed to construct"; the root cause has the reason.
            throw new InboxConfigurationException(
                    "Consumer " + endpoint.consumer()
                            + " cannot read from Kafka with these settings: Kafka's client refused them ("
                            + rootOf(unusable).getMessage() + "). Fix the settings of the source.",
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
