// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.HandlerContext;
import io.idembox.InboxException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.admin.Command;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.FaultyDataSource;
import io.idembox.testkit.fault.ProcessGone;
import io.idembox.testkit.fault.Step;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One run of a path: a broker, a node that meets a fault, a node after it, and what is left in the database. */
final class Story {

    private static final int ROUNDS = 30;
    private static final int CROSSINGS = 12;
    private static final Duration MEANWHILE = Duration.ofSeconds(2);

    private final World world;
    private final Path path;
    private final BrokenEngine engine;
    private final String id;
    private final Broker broker = new Broker();
    private final Set<String> done = Collections.synchronizedSet(new HashSet<>());
    private final Hook hook;
    private final ManualClock clock = ManualClock.create();
    private final Map<String, List<MessageRef>> seen = new HashMap<>();
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private final @Nullable Outside outside;
    private boolean afterwards;
    private boolean heldLocks;
    private int deadlocks;

    Story(World world, Path path, BrokenEngine engine, String id) {
        this.world = world;
        this.path = path;
        this.engine = engine;
        this.id = id;
        this.hook = new Hook(world.dataSource());
        this.outside = path.mail().map(mail -> new Outside(this, mail)).orElse(null);
    }

    World world() {
        return world;
    }

    Broker broker() {
        return broker;
    }

    /** Those outside, of a path in which something goes out. */
    Outside outside() {
        return Objects.requireNonNull(outside);
    }

    /** The id of something that the application does in this story by itself. */
    String cause(String suffix) {
        return id + suffix;
    }

    /** Whether the node that met the fault is gone: whoever comes now does what it did not. */
    boolean isAfterwards() {
        return afterwards;
    }

    /** What the handlers of this story do. */
    InboxHandler work() {
        return path.work(this);
    }

    /** Tells the story with the fault, or without one; what went wrong, and the calls that were made. */
    Result tell(@Nullable FaultPlan plan) {
        broker.send(path.messages(id));
        path.before(this);
        Node node = new Node(world, engine, FaultyDataSource.around(hook.dataSource()), path, clock, outside);
        if (plan == null) {
            node.dataSource().record();
        } else {
            heldLocks = plan.fault().kind() == Fault.Kind.PAUSED;
            node.dataSource().inject(plan, this::meanwhile, MEANWHILE);
        }
        path.during(this, () -> unlessItEnds(() -> path.act(this, node)));
        node.dataSource().awaitPauseTask();
        deadlocks += node.deadlocks();
        List<Step> steps = node.dataSource().steps();
        boolean struck = plan == null || node.dataSource().faultStep().isPresent();
        node.dataSource().crash();
        afterwards = true;
        Optional<String> now = path.wrongAtAnyTime(this).map(wrong -> "right after it: " + wrong);
        Optional<String> violation = now.or(this::whatWentWrong);
        world.clean();
        return new Result(steps, struck, violation);
    }

    /** What the others do while the node stands still: its leases run out, and everything is delivered again. */
    private void meanwhile() {
        Node other = newNode();
        if (path.hasWorkers()) {
            passTime();
            unlessItEnds(other::reap);
            if (heldLocks) {
                // Only after this fault: an engine that leaves messages waiting without reason must not be helped.
                unlessItEnds(other::sweepStragglers);
            }
        }
        unlessItEnds(() -> path.insist(this, other));
        deliver(other, broker.unacknowledged());
    }

    /** Somebody looks, and remembers what he saw; whether he saw anything. */
    boolean see(String suffix) {
        List<MessageRef> found = soundNode().see(suffix);
        seen.put(suffix, found);
        return !found.isEmpty();
    }

    /** What somebody saw. */
    List<MessageRef> seen(String suffix) {
        return Objects.requireNonNull(seen.get(suffix));
    }

    /** Somebody does something to what he saw, as the operation of that name. */
    Report command(Node node, Command command, String suffix, String operation) {
        return node.command(command, seen.get(suffix), operation(operation));
    }

    Operation operation(String name) {
        return new Operation(name + "-" + id, "anna", "to see what happens");
    }

    boolean isDone(String operation) {
        return !world.list(
                        "select kind from idembox_operation where operation_id = ?",
                        operation(operation).id())
                .isEmpty();
    }

    /** Somebody was told something wrong. */
    void complainUnless(boolean right, String complaint) {
        if (!right) {
            complaints.add(complaint);
        }
    }

    /** Leases run out. */
    void passTime() {
        clock.advance(Node.LEASE.plusSeconds(1));
    }

    /** Somebody else does something meanwhile. */
    void meanwhile(Consumer<Node> what) {
        aside(() -> what.accept(newNode()));
    }

    /** Somebody else looks for something to do. */
    void visit() {
        aside(() -> {
            Node other = newNode();
            other.reap();
            other.work(work());
            bringOut(other);
        });
    }

    /** Somebody else takes over what this node is working on, and finishes. */
    void overtake() {
        passTime();
        visit();
    }

    /** What a story showed. */
    record Result(List<Step> steps, boolean struck, Optional<String> violation) {}

    private Optional<String> whatWentWrong() {
        for (int round = 0; isUnfinished(); round++) {
            if (round == ROUNDS) {
                return Optional.of("stuck: " + broker.unacknowledged() + " is not acknowledged, " + unfinished()
                        + " are not finished" + campaigns());
            }
            meanwhile();
        }
        if (deadlocks > 0 && path.forbidsDeadlocks()) {
            return Optional.of("deadlock: batches with the same ids lock in different orders, " + deadlocks + " times");
        }
        if (!complaints.isEmpty()) {
            return Optional.of("told otherwise: " + complaints.get(0));
        }
        // Loss first: a late duplicate would bring a lost message back and hide that it was lost.
        Optional<String> now = verdict();
        if (now.isPresent()) {
            return now;
        }
        Broker late = new Broker();
        late.send(broker.sent());
        deliver(newNode(), late, late.sent());
        Optional<String> after = verdict().map(violation -> "after late duplicates: " + violation);
        return after;
    }

    private Optional<String> verdict() {
        return Verdict.on(world, path, broker.sent())
                .or(() -> outside == null ? Optional.empty() : MailVerdict.on(world, outside))
                .or(() -> path.wrongInTheEnd(this));
    }

    private boolean isUnfinished() {
        return !path.isOver(this)
                || !broker.unacknowledged().isEmpty()
                || (outside != null && !outside.log().unacknowledged().isEmpty())
                || !unfinished().isEmpty();
    }

    /** Messages that the inbox owns and that need no operator: every story has to end without them. */
    private List<String> unfinished() {
        return world.list("select message_id || ' ' || status from idembox_inbox where owner = 'INBOX'"
                + " and status in ('RECEIVED', 'WAITING', 'IN_PROGRESS', 'FAILED_RETRYABLE')");
    }

    private String campaigns() {
        List<String> campaigns = world.list("select campaign_id || ' ' || state from idembox_campaign");
        return campaigns.isEmpty() ? "" : ", campaigns are " + campaigns;
    }

    /** The same engine in a new process: whoever comes after is not better. */
    Node newNode() {
        return new Node(world, engine, FaultyDataSource.around(hook.dataSource()), path, clock, outside);
    }

    /** The same, but something happens right before its first statement with that piece. */
    Node newNodeBefore(String piece, Runnable action) {
        return new Node(
                world,
                engine,
                FaultyDataSource.around(Rewriting.noticing(hook.dataSource(), piece, () -> once(piece, action))),
                path,
                clock,
                outside);
    }

    /** A process that does everything right. */
    Node soundNode() {
        return new Node(world, BrokenEngine.NONE, FaultyDataSource.around(world.dataSource()), path, clock, outside);
    }

    void deliver(Node node, List<Message> messages) {
        deliver(node, broker, messages);
    }

    private void deliver(Node node, Broker from, List<Message> messages) {
        unlessItEnds(() -> {
            if (path.isStored()) {
                node.store(from, messages);
            } else {
                node.deliver(from, messages, work());
            }
            if (path.hasWorkers()) {
                node.work(work());
            }
            bringOut(node);
        });
    }

    /** Everything that is to go out goes out, and somebody downstream reads it. */
    private void bringOut(Node node) {
        if (outside != null) {
            node.mail().publishAll();
            node.mail().tryAll();
            node.mail().read(this::effect);
        }
    }

    /** The process is gone, or the database did not answer: nothing more is acknowledged. The broker goes on. */
    private static void unlessItEnds(Runnable life) {
        try {
            life.run();
        } catch (ProcessGone | Node.Killed | InboxException | TransactionFailed | IllegalStateException ended) {
            // That is what the story is about.
        }
    }

    /** Before anything breaks, by a sound engine. */
    void deliverUnharmed(List<Message> messages) {
        deliver(soundNode(), messages);
    }

    void send(List<Message> messages) {
        broker.send(messages);
    }

    /** The broker delivers everything once more. */
    void sendAgain() {
        List<Message> again =
                broker.sent().stream().map(each -> each.from(each.source())).toList();
        broker.send(again);
    }

    /** Another process gets the messages now, and answers before ours goes on. */
    void rivalDelivers(List<Message> messages) {
        Broker aside = new Broker();
        aside(() -> deliver(newNode(), aside, messages));
    }

    /** Something happens on another thread, and this one waits for it. */
    private static void aside(Runnable elsewhere) {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<?> done = thread.submit(elsewhere);
            done.get(10, TimeUnit.SECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException failed) {
            throw new IllegalStateException(failed);
        } finally {
            thread.shutdownNow();
        }
    }

    /** Two nodes deliver the same large batch in opposite order at the same time, again and again. */
    void cross() {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Node one = newNode();
            Node two = newNode();
            CyclicBarrier together = new CyclicBarrier(2);
            // The first deadlock ends it, so a broken engine may have many chances to meet one.
            int rounds = engine == BrokenEngine.NONE ? CROSSINGS : 20 * CROSSINGS;
            for (int round = 0; round < rounds && one.deadlocks() + two.deadlocks() == 0; round++) {
                List<Message> forward = crowd("x" + id + "-" + round);
                List<Message> backward = new ArrayList<>(forward);
                Collections.reverse(backward);
                Future<?> first = threads.submit(() -> meet(together, one, forward));
                Future<?> second = threads.submit(() -> meet(together, two, backward));
                first.get(60, TimeUnit.SECONDS);
                second.get(60, TimeUnit.SECONDS);
            }
            deadlocks += one.deadlocks() + two.deadlocks();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException failed) {
            throw new IllegalStateException(failed);
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<Message> crowd(String prefix) {
        return IntStream.range(0, 400)
                .mapToObj(i -> Message.of(prefix + "-" + i, "OrderPlaced", "{}").from("/crossing"))
                .toList();
    }

    private void meet(CyclicBarrier together, Node node, List<Message> messages) {
        try {
            together.await(30, TimeUnit.SECONDS);
            deliver(node, new Broker(), messages);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Does something at most once in the whole story. */
    void once(String what, Runnable action) {
        if (done.add(what)) {
            action.run();
        }
    }

    /** Does something right before the next connection is handed out. */
    void onNextConnection(Runnable action) {
        hook.next(action);
    }

    /** Two rows: one at once, one put off. An effect is both of them, once. */
    void effect(HandlerContext context) throws SQLException {
        halfAnEffect(context);
        context.later(
                        "insert into effect (id, part) values (?, 'later')",
                        context.id().id())
                .expect(1);
    }

    void deferredEffect(HandlerContext context) {
        for (String part : List.of("at once", "later")) {
            context.later(
                            "insert into effect (id, part) values (?, ?)",
                            context.id().id(),
                            part)
                    .expect(1);
        }
    }

    /** A row that is committed with its step. */
    void stepEffect(HandlerContext context, io.idembox.Step step) throws SQLException {
        try (PreparedStatement insert =
                step.connection().prepareStatement("insert into effect (id, part) values (?, ?)")) {
            insert.setString(1, context.id().id());
            insert.setString(2, step.name());
            insert.executeUpdate();
        }
    }

    void halfAnEffect(HandlerContext context) throws SQLException {
        try (PreparedStatement insert =
                context.connection().prepareStatement("insert into effect (id, part) values (?, 'at once')")) {
            insert.setString(1, context.id().id());
            insert.executeUpdate();
        }
    }
}
