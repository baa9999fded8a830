// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.acceptance.programme.Fleet;
import io.idembox.kafka.OnDataLoss;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/**
 * What every programme has: a database, topics, messages, processes, and the comparison at the end. The programme makes the
 * servers and the failovers. Not thread-safe.
 */
final class Stage implements AutoCloseable {

    private static final Duration READY = Duration.ofSeconds(60);
    private static final Duration LONGEST_DRAIN = Duration.ofMinutes(3);

    private final Options options;
    private final Database database;
    private final String bootstrap;
    private final Topics topics;
    private final Load load;
    private final List<Fleet> fleets = new ArrayList<>();
    private final Set<Reader> readers = new HashSet<>();
    private final Findings findings = new Findings();
    private final Map<String, Long> figures = new LinkedHashMap<>();
    private final long begin = System.nanoTime();

    /** @param copiesInHundred how many messages the producer sends twice */
    Stage(Options options, Database database, String bootstrap, int copiesInHundred) throws SQLException {
        this.options = options;
        this.database = database;
        this.bootstrap = bootstrap;
        this.topics = new Topics(bootstrap);
        this.load = new Load(bootstrap, copiesInHundred, options.seed());
        journal().create();
    }

    Topics topics() {
        return topics;
    }

    Load load() {
        return load;
    }

    Findings findings() {
        return findings;
    }

    JournalTable journal() {
        return new JournalTable(database.dataSource());
    }

    void createTopics(int partitions, int copies) {
        topics.create(new NewTopic(Reader.ORDERS, partitions, (short) copies));
        topics.create(new NewTopic(Reader.RECEIPTS, partitions, (short) copies));
    }

    /** Starts processes that have these consumers, and waits until they are ready. */
    Fleet start(int processes, List<Reader> consumers) throws SQLException {
        return start(processes, consumers, OnDataLoss.STOP);
    }

    Fleet start(int processes, List<Reader> consumers, OnDataLoss onDataLoss) throws SQLException {
        Fleet fleet = new FailoverConsumer.Start(database.jdbcUrl(), bootstrap, onDataLoss, options.broken(), consumers)
                .fleet(processes, options);
        fleets.add(fleet);
        readers.addAll(consumers);
        Wait.until("all processes to be ready", READY, () -> fleet.ready().size() == processes);
        return fleet;
    }

    /** kill -9 for all processes; none reads until {@link #startAll}. */
    void killAll() {
        fleets.forEach(Fleet::killAll);
    }

    void startAll() {
        fleets.forEach(Fleet::startAll);
    }

    /** Ends a group of processes for good: it is not started by {@link #startAll}. */
    void end(Fleet fleet) {
        fleet.close();
        fleets.remove(fleet);
    }

    /** Waits for a load that was begun. */
    void finish(CompletableFuture<Void> sending) {
        sending.join();
    }

    /** Whether the offsets of all groups are at the ends of their topics. */
    boolean everythingIsRead() {
        try {
            return readers.stream().allMatch(reader -> topics.behind(reader) == 0);
        } catch (Topics.Away away) {
            return false;
        }
    }

    /**
     * Everything is read, nothing is unfinished, and there is no lease. Waits as long as there is progress: on a busy machine it takes
     * longer. What is not done then is left to the checks.
     */
    boolean drain() throws SQLException {
        long end = System.nanoTime() + LONGEST_DRAIN.toNanos();
        String before = "";
        while (System.nanoTime() < end) {
            if (Wait.becomes(options.patience(), this::isDone)) {
                return true;
            }
            String now = progress();
            if (now.equals(before)) {
                break;
            }
            before = now;
        }
        report("not drained: " + progress());
        return false;
    }

    private boolean isDone() {
        try {
            return everythingIsRead() && journal().isQuiet() && everythingIsRead();
        } catch (SQLException away) {
            return false;
        }
    }

    private String progress() {
        try {
            return journal().count() + " effects; unfinished " + journal().entries() + "; not read "
                    + readers.stream()
                            .map(reader -> reader.name() + " " + topics.behind(reader))
                            .collect(Collectors.joining(", "));
        } catch (SQLException | Topics.Away away) {
            return "a server is away: " + away;
        }
    }

    void report(String what) {
        System.out.printf(Locale.ROOT, "%7.1f s  %s%n", (System.nanoTime() - begin) / 1e9, what);
    }

    /** A figure of the last line. */
    void count(String name, long more) {
        figures.merge(name, more, Long::sum);
    }

    long counted(String name) {
        return figures.getOrDefault(name, 0L);
    }

    /** Compares every consumer's journal with its topic, and the topic of receipts with that of orders. */
    void check(int breaksAllowed) throws SQLException {
        compare(breaksAllowed);
        if (findings.gone > 0) {
            findings.wrong(findings.gone + " effects of messages that are not in the topic");
        }
    }

    /** As {@link #check}, where Kafka may have lost records that have an effect. */
    void compare(int breaksAllowed) throws SQLException {
        List<Sent> orders = topics.read(Reader.ORDERS);
        figures.put("sent", (long) orders.size());
        figures.put("distinct", orders.stream().map(Sent::name).distinct().count());
        for (Reader reader : readers) {
            List<Sent> topic = orders;
            if (reader.topic().equals(Reader.RECEIPTS)) {
                topic = topics.read(Reader.RECEIPTS);
                count("receipts", topic.size());
                checkPublished(orders, topic, breaksAllowed);
            }
            Map<TopicPartition, Long> committed = topics.committed(reader.name());
            new Checker(reader.name(), breaksAllowed, findings)
                    .check(
                            topic,
                            new Checker.Journal(
                                    journal().effects(reader.name()),
                                    journal().unfinished(reader.name()),
                                    sent -> sent.offset()
                                            < committed.getOrDefault(
                                                    new TopicPartition(reader.topic(), sent.partition()), 0L)));
        }
        List<String> entries = journal().entries();
        if (!entries.isEmpty()) {
            findings.wrong("unfinished in the inbox: " + entries);
        }
    }

    /** A message that is published twice, with the same id, counts where it is first. */
    private void checkPublished(List<Sent> orders, List<Sent> receipts, int breaksAllowed) throws SQLException {
        List<Sent.Name> first = receipts.stream().map(Sent::name).distinct().toList();
        count("published-twice", receipts.size() - first.size());
        Set<Sent.Name> unfinished = journal().unfinished("outbox/" + Reader.RECEIPTS);
        unfinished.addAll(journal().unfinished(Reader.STORED.name())); // no receipt yet
        new Checker("receipt of", breaksAllowed, findings)
                .check(orders, new Checker.Journal(first, unfinished, sent -> true));
        findings.effects -= first.size(); // they are no effects
    }

    /** Prints what is wrong and the last line. */
    Findings judge(String programme) {
        findings.print();
        String more = figures.entrySet().stream()
                .filter(figure -> !Set.of("sent", "distinct").contains(figure.getKey()))
                .map(figure -> " " + figure.getKey() + "=" + figure.getValue())
                .collect(Collectors.joining());
        System.out.printf(
                Locale.ROOT,
                "failover %s: sent=%d distinct=%d lost=%d doubled=%d reordered=%d stuck=%d effects=%d late=%d%s"
                        + " seconds=%d ok=%b%n",
                programme,
                counted("sent"),
                counted("distinct"),
                findings.lost,
                findings.doubled,
                findings.reordered,
                findings.stuck,
                findings.effects,
                findings.late,
                more,
                Math.round((System.nanoTime() - begin) / 1e9),
                findings.areFine());
        return findings;
    }

    @Override
    public void close() {
        fleets.forEach(Fleet::close);
        load.close();
        topics.close();
    }
}
