// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.kafka;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageHandler;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import io.idembox.benchmarks.rig.Workload;
import io.idembox.event.InboxEvent;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.WorkPolicy;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The library as an application uses it: an inbox with a Kafka source, from its start until the last effect. */
final class FromTopic implements Strategy {

    private static final long PATIENCE_SECONDS = 300;

    private final Topics topics;
    private final DataSource dataSource;
    private final Setup setup;
    private final int stock;
    private @Nullable Inbox inbox;
    private @Nullable Subscription subscription;
    private CountDownLatch left = new CountDownLatch(0);

    /** How it is set up. */
    record Setup(String name, Mode mode, int partitions, int batch, MessageHandler<Message> handler) {}

    FromTopic(Topics topics, Arena arena, Setup setup, int stock) {
        this.topics = topics;
        this.dataSource = arena.dataSource();
        this.setup = setup;
        this.stock = stock;
    }

    @Override
    public String name() {
        return setup.name();
    }

    @Override
    public int batchSize() {
        return setup.batch();
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
        String topic = topics.fill(feed, stock);
        CountDownLatch counted = new CountDownLatch(stock);
        left = counted;
        Inbox opened = Inbox.on(dataSource)
                .createSchema()
                // While warming up, commits are not durable; nobody is measured then.
                .allowUnsafeDurability()
                .listener(event -> {
                    if (event instanceof InboxEvent.Received received
                            && received.receipt().kind() == Receipt.Kind.COMPLETED) {
                        counted.countDown();
                    }
                })
                .start();
        inbox = opened;
        subscription = opened.subscribe(setup.name())
                .policy(ConsumerPolicy.defaults()
                        .mode(setup.mode())
                        .work(WorkPolicy.defaults().workers(setup.partitions()).batch(setup.batch())))
                .from(KafkaSource.topics(Map.of("bootstrap.servers", topics.bootstrap()), topic)
                        .firstStart(FirstStart.EARLIEST)
                        .lanes(setup.partitions())
                        .batch(setup.batch()))
                .on(Workload.TYPE, Message.class, setup.handler());
    }

    @Override
    public Tally consume(Feed nothing) throws Exception {
        if (left.getCount() == 0) {
            return Tally.NOTHING;
        }
        Objects.requireNonNull(subscription).start();
        boolean done = left.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return done ? Tally.completed(stock) : Tally.failed(left.getCount());
    }

    /** Kafka is told how far it came. */
    @Override
    public Tally finish() {
        Objects.requireNonNull(inbox).close();
        return Tally.NOTHING;
    }

    @Override
    public String leftOver() {
        return "select count(*) from idembox_entry";
    }
}
