// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.internal.jdbc.Database;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.fault.Fault;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A story whose every call is broken in turn. Message ids begin with the number of the case, so cases do not meet. Made by
 * the classes whose names end with {@code Paths}, and not changed afterwards.
 */
final class Path {

    /** How often a poison message is tried. */
    static final int CAP = 6;

    static final ConsumerPolicy DIRECT =
            ConsumerPolicy.defaults().retry(RetryPolicy.exponential(CAP, Duration.ZERO, Duration.ZERO));

    /** Gives up at the second failure. */
    static final RetryPolicy TWICE = RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO);

    private static final Set<Fault> MAIN_FAULTS = Set.of(
            Fault.GONE,
            Fault.CONNECTION_LOST,
            Fault.PAUSED,
            Fault.sqlError("40001"),
            Fault.sqlError("57P01"),
            Fault.commitRefused("40001"));

    private final String name;
    private final boolean stored;
    private final Function<String, List<Message>> messages;
    private final Map<String, End> ends = new HashMap<>();
    private boolean workers;
    private boolean faults = true;
    private boolean mainFaults;
    private boolean pauses = true;
    private boolean costsNothing;
    private boolean withoutDeadlocks;
    private Set<Database> databases = EnumSet.allOf(Database.class);
    private int batchSize = 2;
    private Duration frontDoorWait = Duration.ofMillis(40);
    private ConsumerPolicy policy = DIRECT;
    private List<String> parts = List.of("at once", "later");
    private @Nullable Integer failures;
    private @Nullable Comparator<Message> order;
    private Consumer<Story> before = story -> {};
    private BiConsumer<Story, Runnable> during = (story, delivering) -> delivering.run();
    private BiConsumer<Story, Node> act =
            (story, node) -> story.deliver(node, story.broker().unacknowledged());
    private BiConsumer<Story, Node> insist = (story, node) -> {};
    private Predicate<Story> over = story -> true;
    private Function<Story, Optional<String>> always = story -> Optional.empty();
    private Function<Story, Optional<String>> inTheEnd = story -> Optional.empty();
    private Function<Story, InboxHandler> work = story -> story::effect;
    private @Nullable Mail mail;

    private Path(String name, boolean stored, Function<String, List<Message>> messages) {
        this.name = name;
        this.stored = stored;
        this.workers = stored;
        this.messages = messages;
    }

    /** Deliveries are handled. */
    static Path direct(String name, Function<String, List<Message>> messages) {
        return new Path(name, false, messages);
    }

    /** Deliveries are stored and then worked on. */
    static Path stored(String name, Function<String, List<Message>> messages) {
        return new Path(name, true, messages);
    }

    /** What happens before anything breaks. */
    Path before(Consumer<Story> what) {
        before = what;
        return this;
    }

    /** What happens around the delivery that breaks. */
    Path during(BiConsumer<Story, Runnable> what) {
        during = what;
        return this;
    }

    /** What the node does that breaks, instead of taking what the broker has. */
    Path act(BiConsumer<Story, Node> what) {
        act = what;
        return this;
    }

    /** What is done again when there was no answer; whoever comes after does it before anything else. */
    Path insist(BiConsumer<Story, Node> what) {
        insist = what;
        return this;
    }

    /** What has to be done before the story is over, beside finishing all messages. */
    Path until(Predicate<Story> done) {
        over = done;
        return this;
    }

    /** What is wrong at any time, also right after the fault, before anybody comes; empty when nothing is. */
    Path always(Function<Story, Optional<String>> look) {
        always = look;
        return this;
    }

    /** What is wrong when the story is over, beside what is wrong with its messages; empty when nothing is. */
    Path inTheEnd(Function<Story, Optional<String>> look) {
        inTheEnd = look;
        return this;
    }

    Path work(Function<Story, InboxHandler> handler) {
        work = handler;
        return this;
    }

    Path policy(ConsumerPolicy consumers) {
        policy = consumers;
        return this;
    }

    /** Something goes out. Those who bring it out are workers. */
    Path mail(Mail what) {
        mail = what;
        return withWorkers();
    }

    /** Messages whose ids end like that do not end as done. */
    Path ends(String suffix, End end) {
        ends.put(suffix, end);
        return this;
    }

    /** How often a poison message fails in all. */
    Path failures(int exactly) {
        failures = exactly;
        return this;
    }

    /** Others cannot do what it tells. */
    Path onlyOn(Database database) {
        databases = EnumSet.of(database);
        return this;
    }

    /** Workers take part although deliveries are handled. */
    Path withWorkers() {
        workers = true;
        return this;
    }

    /** Each message has a lease of its own. */
    Path oneByOne() {
        batchSize = 1;
        return this;
    }

    /** Run once, for what it shows by itself. */
    Path withoutFaults() {
        faults = false;
        return this;
    }

    /** Only the faults that tell most, where another path meets every fault at the same calls. */
    Path withMainFaults() {
        mainFaults = true;
        return this;
    }

    /**
     * Nobody stands still. Who stands still right before a call to a provider without keys, until another one has asked and done it,
     * does it twice: no fence reaches there.
     */
    Path withoutPauses() {
        pauses = false;
        return this;
    }

    /** No attempt may be counted, because nothing went wrong. */
    Path costingNothing() {
        costsNothing = true;
        return withoutFaults();
    }

    /** Batches must not run into each other. A node waits long enough for the database to notice if they do. */
    Path withoutDeadlocks() {
        withoutDeadlocks = true;
        // PostgreSQL looks for deadlocks after a second.
        frontDoorWait = Duration.ofSeconds(5);
        return withoutFaults();
    }

    /** The rows that are the effect of one message. */
    Path parts(String... rows) {
        parts = List.of(rows);
        return this;
    }

    /** The order of each key's effects, where it is not the one messages were sent in. */
    Path inOrderOf(Comparator<Message> sequenceNumbers) {
        order = sequenceNumbers;
        return this;
    }

    String name() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }

    List<Message> messages(String id) {
        return messages.apply(id);
    }

    void before(Story story) {
        before.accept(story);
    }

    void during(Story story, Runnable delivering) {
        during.accept(story, delivering);
    }

    void act(Story story, Node node) {
        act.accept(story, node);
    }

    void insist(Story story, Node node) {
        insist.accept(story, node);
    }

    boolean isOver(Story story) {
        return over.test(story);
    }

    Optional<String> wrongAtAnyTime(Story story) {
        return always.apply(story);
    }

    Optional<String> wrongInTheEnd(Story story) {
        return always.apply(story).or(() -> inTheEnd.apply(story));
    }

    InboxHandler work(Story story) {
        return work.apply(story);
    }

    ConsumerPolicy policy() {
        return policy;
    }

    Optional<Mail> mail() {
        return Optional.ofNullable(mail);
    }

    boolean isStored() {
        return stored;
    }

    boolean hasWorkers() {
        return workers;
    }

    boolean isFor(Database database) {
        return databases.contains(database);
    }

    boolean takesFaults() {
        return faults;
    }

    boolean takes(Fault fault) {
        return (!mainFaults || MAIN_FAULTS.contains(fault)) && (pauses || fault.kind() != Fault.Kind.PAUSED);
    }

    boolean costsNothing() {
        return costsNothing;
    }

    boolean forbidsDeadlocks() {
        return withoutDeadlocks;
    }

    int batchSize() {
        return batchSize;
    }

    /** How long a node waits for a mark that somebody else is writing; short, because some stories wait in vain. */
    Duration frontDoorWait() {
        return frontDoorWait;
    }

    List<String> parts() {
        return parts;
    }

    /** Unlimited when nobody counts. */
    Optional<Integer> failures() {
        return Optional.ofNullable(failures);
    }

    /** Whether the effects of each key have to be in order. */
    boolean keepsOrder() {
        return policy.ordering() != Ordering.NONE;
    }

    /** What was sent, in the order its effects have to be in. */
    List<Message> inOrder(List<Message> sent) {
        return order == null ? sent : sent.stream().sorted(order).toList();
    }

    End endOf(String messageId) {
        return ends.entrySet().stream()
                .filter(each -> messageId.endsWith(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(End.DONE);
    }

    static Function<String, List<Message>> messages(int count) {
        return id ->
                IntStream.rangeClosed(1, count).mapToObj(nr -> message(id, nr)).toList();
    }

    static Function<String, List<Message>> ofOneKey(int count) {
        return id -> IntStream.rangeClosed(1, count)
                .mapToObj(nr -> message(id, nr).keyed("k" + id))
                .toList();
    }

    static Message message(String id, int nr) {
        // A source of its own, so that learning a new source is part of every story.
        return Message.of(id + "-" + nr, "OrderPlaced", "{\"nr\":" + nr + "}").from("/orders/" + id);
    }

    static Message conflicting(Message original) {
        return original.payload(Payload.json("{\"other\":true}"));
    }

    /** All there are. */
    static List<Path> all() {
        return Stream.of(
                        DirectPaths.all(),
                        StoredPaths.all(),
                        OrderPaths.all(),
                        StepPaths.all(),
                        GuardPaths.all(),
                        CommandPaths.all(),
                        CampaignPaths.all(),
                        EditPaths.all(),
                        ReplayPaths.all(),
                        MailPaths.all(),
                        IntentPaths.all())
                .flatMap(List::stream)
                .toList();
    }

    static Path named(String name) {
        return all().stream()
                .filter(path -> path.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no path " + name + "; there are " + all()));
    }
}
