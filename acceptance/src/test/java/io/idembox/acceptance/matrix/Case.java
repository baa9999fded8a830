// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.matrix;

import io.idembox.Message;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.MissingId;
import io.idembox.spi.Delivery;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Runs one combination: delivers the standard stream until nothing is left, then checks the database. */
final class Case {

    /** Attempts, twins, and some that are held behind others or meet a gap; a busy loop needs many more. */
    static final int DELIVERIES_ALLOWED = 12;

    private static final int ROUNDS = 2_000;

    private final DataSource dataSource;
    private final Combination combination;
    private final String consumer;
    private final Variant variant;
    private final ManualClock clock = ManualClock.create();
    private final List<String> violations = new ArrayList<>();
    private boolean stuck;

    Case(DataSource dataSource, Combination combination, String consumer, Variant variant) {
        this.dataSource = dataSource;
        this.combination = combination;
        this.consumer = consumer;
        this.variant = variant;
    }

    /** What was wrong; empty when all is well. */
    List<String> run() throws SQLException {
        List<Message> script = Script.deliveries();
        if (combination.identityReplaced()) {
            Station older = variant.station(dataSource, clock, consumer, combination.policyBeforeTheChange());
            older.receive(deliverOnce(script.subList(0, script.size() / 2)));
        }
        Station station = variant.station(dataSource, clock, consumer, combination.policy());
        Queue queue = new Queue(clock, script);
        drain(station, queue);
        for (int decisions = 0; !stuck && station.discardAll(consumer) > 0; decisions++) {
            drain(station, queue);
            stuck = stuck || decisions > 50;
        }
        check(queue);
        return violations;
    }

    boolean isStuck() {
        return stuck;
    }

    /** No answer reaches the broker for these: the same messages come again. */
    private List<Delivery> deliverOnce(List<Message> messages) {
        return new Queue(clock, messages).next(messages.size());
    }

    /** Delivers and works until nothing is due, then lets time pass until nothing is left to wait for. */
    private void drain(Station station, Queue queue) {
        for (int round = 0; round < ROUNDS; round++) {
            List<Delivery> due = queue.next(combination.batch());
            if (!due.isEmpty()) {
                station.receive(due);
            }
            boolean worked = station.work();
            if (due.isEmpty() && !worked && !passTime(station, queue)) {
                return;
            }
        }
        stuck = true;
        violations.add("stuck: deliveries or work without an end");
    }

    /** Moves the clock to whatever comes next; false when nothing does. */
    private boolean passTime(Station station, Queue queue) {
        Optional<Instant> delivery = queue.nextDue();
        Optional<Instant> retry = instant("select min(due_at) from idembox_entry where consumer_id = "
                + "(select consumer_id from idembox_consumer where name = ?) and state = 'FAILED_RETRYABLE'"
                + " and owner = 'INBOX'");
        Optional<Instant> gap = instant("select min(gap_since) from idembox_sequence where consumer_id = "
                        + "(select consumer_id from idembox_consumer where name = ?)")
                .map(since -> since.plus(Combination.GAP_TIMEOUT).plusSeconds(1));
        Optional<Instant> next =
                Stream.of(delivery, retry, gap).flatMap(Optional::stream).min(Instant::compareTo);
        if (next.isEmpty()) {
            return false;
        }
        Duration wait = Duration.between(clock.instant(), next.get());
        clock.advance(wait.isNegative() ? Duration.ofMillis(1) : wait.plusMillis(1));
        station.lookAfterGaps();
        return true;
    }

    private Optional<Instant> instant(String sql) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, consumer);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return Optional.ofNullable(rows.getTimestamp(1)).map(Timestamp::toInstant);
            }
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    private void check(Queue queue) throws SQLException {
        checkEffects();
        checkUnfinished();
        if (queue.mostDeliveries() > DELIVERIES_ALLOWED && !isReleasedByPolicy(queue.mostDelivered())) {
            violations.add("busy: " + queue.mostDelivered() + " was delivered " + queue.mostDeliveries() + " times");
        }
    }

    /** With {@code identity.missing: release} that is expected. */
    private boolean isReleasedByPolicy(Message message) {
        return combination.missing() == MissingId.RELEASE
                && Script.nameOf(message).isEmpty();
    }

    private record Effect(String name, String key, long sequenceNumber) {}

    private void checkEffects() throws SQLException {
        List<Effect> effects = new ArrayList<>();
        Map<String, Integer> counts = new TreeMap<>();
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "select name, message_key, place from effect where consumer = ? order by number")) {
            statement.setString(1, consumer);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Effect effect = new Effect(rows.getString(1), rows.getString(2), rows.getLong(3));
                    effects.add(effect);
                    counts.merge(effect.name(), 1, Integer::sum);
                }
            }
        }
        counts.forEach((name, count) -> {
            if (count > 1 && !name.isEmpty()) {
                violations.add("doubled: " + name + " has " + count + " effects");
            }
        });
        for (Message message : Script.deliveries()) {
            String name = Script.nameOf(message);
            if (!name.isEmpty() && !counts.containsKey(name) && !mayHaveNoEffect(name)) {
                violations.add("lost: " + name + " has no effect");
            }
        }
        checkOrder(effects);
    }

    private boolean mayHaveNoEffect(String name) {
        if (Script.HOPELESS.contains(name)) {
            return true;
        }
        // Behind a gap that nothing fills, and without a place, a message is parked, and discarded by this programme's
        // operator.
        boolean isParked = name.equals("d3") || Script.KEYLESS.contains(name);
        return combination.isNumbered() && (isParked || Script.LATE.contains(name));
    }

    /** By place where messages are numbered, else in the order in which the first delivery of each came. */
    private void checkOrder(List<Effect> effects) {
        if (!combination.isOrdered()) {
            return;
        }
        Map<String, Integer> delivered = new HashMap<>();
        List<Message> script = Script.deliveries();
        for (int nth = 0; nth < script.size(); nth++) {
            delivered.putIfAbsent(Script.nameOf(script.get(nth)), nth);
        }
        Map<String, Long> last = new HashMap<>();
        for (Effect effect : effects) {
            if (effect.key() == null) {
                continue;
            }
            long own = combination.isNumbered() ? effect.sequenceNumber() : delivered.get(effect.name());
            Long before = last.put(effect.key(), own);
            if (before != null && before > own) {
                violations.add("reordered: " + effect.name() + " of key " + effect.key() + " came too late");
            }
        }
    }

    private void checkUnfinished() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("select message_id, status from idembox_inbox where consumer = ?"
                                + " and status not in ('COMPLETED', 'SKIPPED', 'DISCARDED')")) {
            statement.setString(1, consumer);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    stuck = true;
                    violations.add("stuck: " + rows.getString(1) + " is " + rows.getString(2));
                }
            }
        }
    }

    /** Which engine is tested. */
    interface Variant {

        Station station(DataSource dataSource, ManualClock clock, String consumer, ConsumerPolicy policy);
    }
}
