// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.gruelbox.transactionoutbox.TransactionOutboxEntry;
import com.gruelbox.transactionoutbox.TransactionOutboxListener;
import io.idembox.Message;
import io.idembox.benchmarks.rig.Arena;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The peer, transaction-outbox by gruelbox, as its documentation advises: its own dialect of PostgreSQL with SKIP LOCKED, a
 * pool behind its transactions, a bounded executor of as many threads as we have workers, and a thread that flushes for as
 * long as there is something. Without its unique request ids, which are a second index entry and an update in place of a delete.
 */
final class GruelboxOffice implements Office {

    static final String TABLE = "txno_outbox";

    private static final int QUEUE = 16_384;
    private static final Duration LONG_AGO = Duration.ofHours(-1);
    private static final long PAUSE_NANOS = 10_000_000;
    private static final Duration STOP_GRACE = Duration.ofSeconds(10);

    private final ThreadLocalContextTransactionManager transactions;
    private final TransactionOutbox resting;
    private final TransactionOutbox working;
    private final ThreadPoolExecutor workers;
    private final Thread flusher = new Thread(this::flush, "gruelbox-flush");
    private volatile boolean relaying;

    private GruelboxOffice(Opening how, Target target, Ears ears) {
        this.transactions = TransactionManager.fromDataSource(how.arena.dataSource());
        this.workers = new ThreadPoolExecutor(
                how.workers, how.workers, 0, TimeUnit.MILLISECONDS, new ArrayBlockingQueue<>(QUEUE));
        // What is sent before somebody relays is due at once, as if a process had scheduled it an hour ago and died.
        Clock past = Clock.offset(Clock.systemUTC(), LONG_AGO);
        this.resting = outbox(how, target, ears)
                .submitter((entry, itself) -> {})
                .clockProvider(() -> past)
                .build();
        this.working = outbox(how, target, ears)
                .submitter(Submitter.withExecutor(workers))
                .build();
    }

    /** As its jar tells. */
    static String version() {
        Properties properties = new Properties();
        try (InputStream file = TransactionOutbox.class.getResourceAsStream(
                "/META-INF/maven/com.gruelbox/transactionoutbox-core/pom.properties")) {
            properties.load(Objects.requireNonNull(file));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return properties.getProperty("version");
    }

    private TransactionOutbox.TransactionOutboxBuilder outbox(Opening how, Target target, Ears ears) {
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> target.post()))
                .flushBatchSize(how.flushSize)
                .listener(new Listener(ears));
    }

    private record Listener(Ears ears) implements TransactionOutboxListener {

        @Override
        public void scheduled(TransactionOutboxEntry entry) {
            ears.committed().accept(idOf(entry));
        }

        @Override
        public void success(TransactionOutboxEntry entry) {
            ears.marked().accept(idOf(entry));
        }

        private static String idOf(TransactionOutboxEntry entry) {
            return (String) entry.getInvocation().getArgs()[0];
        }
    }

    @Override
    public void send(List<Message> messages) {
        transactions.inTransaction(() -> {
            Post post = (relaying ? working : resting).schedule(Post.class);
            for (Message message : messages) {
                Arrival arrival = Arrival.of(message);
                post.bring(arrival.id(), arrival.key(), arrival.payload());
            }
        });
    }

    @Override
    public void startRelay() {
        relaying = true;
        flusher.start();
    }

    private void flush() {
        while (relaying) {
            while (working.flush()) {
                // There may be more.
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @Override
    public void close() {
        relaying = false;
        try {
            flusher.join(STOP_GRACE.toMillis());
            workers.shutdown();
            if (flusher.isAlive() || !workers.awaitTermination(STOP_GRACE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("The peer's threads did not end within " + STOP_GRACE);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** @param flushSize how many entries it takes from the table at once */
    record Opening(Arena arena, int workers, int flushSize) implements Office.Opening {

        @Override
        public String name() {
            return "gruelbox, flush " + flushSize;
        }

        @Override
        public int batchSize() {
            return 1;
        }

        @Override
        public boolean keepsOrder() {
            return false;
        }

        /** What is done is deleted. */
        @Override
        public String marks() {
            return "select -count(*) from " + TABLE;
        }

        @Override
        public String leftOver() {
            return "select count(*) from " + TABLE;
        }

        @Override
        public List<String> tables() {
            return List.of(TABLE);
        }

        @Override
        public Office open(Target target, Ears ears) {
            return new GruelboxOffice(this, target, ears);
        }
    }
}
