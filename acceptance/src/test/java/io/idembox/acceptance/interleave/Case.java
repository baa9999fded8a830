// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.HandlerContext;
import io.idembox.HandlerException;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.admin.Status;
import io.idembox.policy.Ordering;
import io.idembox.spi.Delivery;
import io.idembox.spi.PublishResult;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The world of one schedule: a broker, a clock, handlers whose effects are rows, and what was found wrong. Thread-safe. */
final class Case {

    private static final Instant BEGIN = Instant.parse("2026-06-01T00:00:00Z");
    private static final Duration SOUND_WAIT = Duration.ofSeconds(2);
    private static final AtomicInteger OPERATIONS = new AtomicInteger();

    private final Ground ground;
    private final Fixture fixture;
    private final Reverted reverted;
    private final ManualClock clock;
    private final Broker broker;
    private final Map<String, MessageRef> seen;
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private final List<String> published = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Integer> completed = new HashMap<>();
    private final Set<String> changed = new HashSet<>();
    private final AtomicInteger ids = new AtomicInteger();
    private volatile boolean replayed;

    private Case(
            Ground ground,
            Fixture fixture,
            Reverted reverted,
            Instant now,
            Broker broker,
            Map<String, MessageRef> seen) {
        this.ground = ground;
        this.fixture = fixture;
        this.reverted = reverted;
        this.clock = ManualClock.at(now);
        this.broker = broker;
        this.seen = seen;
    }

    /** The state in which the cases of a fixture begin, as it is kept on one ground. */
    record Beginning(Fixture fixture, Instant now, Broker broker, Map<String, MessageRef> seen) {

        /** Sets it up and keeps it. */
        static Beginning of(Ground ground, Fixture fixture) {
            ground.clean();
            Case first =
                    new Case(ground, fixture, Reverted.NOTHING, BEGIN, new Broker(fixture.messages()), new HashMap<>());
            fixture.setup(first);
            ground.keep(fixture.name());
            boolean inOrder = fixture.policy().ordering() != Ordering.NONE;
            if (inOrder && !first.broker.unacknowledged().isEmpty()) {
                // A broker that keeps order brings nothing of a key before this is acknowledged; operations do.
                first.complain("not acknowledged " + first.broker.unacknowledged());
            }
            if (!first.complaints.isEmpty()) {
                throw new IllegalStateException(
                        "The state of " + fixture + " could not be set up: " + first.complaints);
            }
            return new Beginning(fixture, first.clock.instant(), first.broker, Map.copyOf(first.seen));
        }

        Case begin(Ground ground, Reverted reverted) {
            ground.restore(fixture.name());
            return new Case(ground, fixture, reverted, now, new Broker(broker), seen);
        }
    }

    Ground ground() {
        return ground;
    }

    Fixture fixture() {
        return fixture;
    }

    Reverted reverted() {
        return reverted;
    }

    ManualClock clock() {
        return clock;
    }

    Broker broker() {
        return broker;
    }

    /** A node that is not stepped. */
    Node node() {
        return new Node(ground.dataSource(), this, SOUND_WAIT);
    }

    /** Leases expire. */
    void expireLeases() {
        clock.advance(Node.LEASE.plusSeconds(1));
    }

    /** All that is done so far was done longer ago than the retention. */
    void makeOld() {
        clock.advance(Tasks.RETENTION.plusMinutes(1));
    }

    /** Of all commands for a message as it was seen before the case began, one at most changes it. */
    void commanded(String id, Report report) {
        synchronized (changed) {
            if (report.done() > 0 && !changed.add(id)) {
                complain("wrong answer: two operators got the answer that they changed " + id + " as they both saw it");
            }
        }
    }

    /** An operator looks at a message, and remembers what it looked like. */
    void look(Node node, String id) {
        seen.put(id, node.find(id));
    }

    /** What an operator saw before the case began. */
    MessageRef seen(String id) {
        return Objects.requireNonNull(seen.get(id), id);
    }

    static Operation operation(String name) {
        return new Operation(name + "-" + OPERATIONS.incrementAndGet(), "anna", "to see what happens");
    }

    /** An id that no other operation of this case has. */
    String unique(String prefix) {
        return prefix + ids.incrementAndGet();
    }

    /** A replay has begun, or may have: effects were deleted, and happen again. */
    void replays() {
        replayed = true;
    }

    boolean hasReplayed() {
        return replayed;
    }

    void complain(String what) {
        complaints.add(what);
    }

    List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** Delivers messages in one call, as the fixture's consumer takes them. */
    void deliver(Node node, String... ids) {
        deliver(node, broker.send(ids));
    }

    void deliver(Node node, List<Message> messages) {
        if (messages.isEmpty()) {
            return;
        }
        List<Delivery> deliveries = messages.stream()
                .map(each -> broker.deliver(each, this::acknowledged))
                .toList();
        List<Receipt> receipts = fixture.isStored()
                ? node.receiver().storeDeliveries(deliveries)
                : node.receiver().receiveDeliveries(deliveries, node.jobs());
        for (int i = 0; i < receipts.size(); i++) {
            answered(messages.get(i).id().orElseThrow(), receipts.get(i));
        }
    }

    /** What is acknowledged is durable: another session sees it. */
    private void acknowledged(Message message) {
        String id = message.id().orElseThrow();
        if (ground.list("select status from idembox_inbox where message_id = ?", id)
                .isEmpty()) {
            complain("wrong answer: " + id + " was acknowledged and is not in the database");
        }
    }

    private void answered(String id, Receipt receipt) {
        Receipt.Kind kind = receipt.kind();
        if (kind == Receipt.Kind.COMPLETED) {
            synchronized (completed) {
                if (completed.merge(id, 1, Integer::sum) > 1) {
                    complain("wrong answer: " + id + " was answered COMPLETED twice");
                }
            }
        }
        boolean done = kind == Receipt.Kind.COMPLETED || kind == Receipt.Kind.DUPLICATE;
        if (done && !replayed && effects(id) != 1) {
            complain("wrong answer: " + id + " was answered " + kind + " and has " + effects(id) + " effects");
        }
    }

    /** The broker behind the outbox gets messages. */
    List<PublishResult> published(List<Message> messages) {
        List<PublishResult> results = new ArrayList<>();
        for (Message message : messages) {
            String id = message.id().orElseThrow();
            if (effects(id.substring(0, id.indexOf('>'))) == 0) {
                complain("published before its cause was committed: " + id);
            }
            published.add(id);
            results.add(new PublishResult.Confirmed("orders-0@7"));
        }
        return results;
    }

    /** First publications, in order. */
    List<String> published() {
        synchronized (published) {
            return published.stream().distinct().toList();
        }
    }

    int effects(String id) {
        return ground.list("select id from effect where id = ?", id).size();
    }

    /** The handler of all messages. The first letter of the id says how it behaves. */
    void handle(HandlerContext context) throws Exception {
        String id = context.id().id();
        if (id.startsWith("s")) {
            context.step("one", step -> insert(step.connection(), "step_effect", id));
        }
        insert(context.connection(), "effect", id);
        if (id.startsWith("e")) {
            Outgoing.of(id).forEach(each -> context.outbox().send(Outgoing.DESTINATION, each));
        }
        if (id.startsWith("p") && context.attempt() == 1) {
            throw HandlerException.park("look at it");
        }
        if ((id.startsWith("f") && context.attempt() == 1) || (id.startsWith("t") && context.attempt() <= 2)) {
            throw new IllegalStateException("not yet");
        }
    }

    private static void insert(Connection connection, String table, String id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into " + table + " (id) values (?)")) {
            insert.setString(1, id);
            insert.executeUpdate();
        }
    }

    List<String> unfinished() {
        return ground.list("select message_id || ' ' || status || coalesce(' ' || reason, '') from idembox_inbox"
                + " where status <> 'COMPLETED' order by arrival");
    }

    List<String> openCampaigns() {
        return ground.list(
                "select campaign_id || ' ' || state from idembox_campaign where state in ('RUNNING', 'STOPPED')");
    }

    /** An operator looks at what needs a decision, and decides to try it. */
    void decide(Node node) {
        List<MessageRef> discarded = node.look(Set.of(Status.DISCARDED)).stream()
                .map(InboxMessage::ref)
                .toList();
        if (!discarded.isEmpty()) {
            node.admin().restore(discarded, operation("restore"));
        }
        List<MessageRef> failed = node.look(Set.of(Status.PARKED, Status.FAILED_TERMINAL)).stream()
                .map(InboxMessage::ref)
                .toList();
        if (!failed.isEmpty()) {
            node.admin().redrive(failed, operation("redrive"));
        }
    }
}
