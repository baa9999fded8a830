// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal;

import io.idembox.InboxConfigurationException;
import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.admin.InboxAdmin;
import io.idembox.audit.AuditKey;
import io.idembox.audit.AuditTrail;
import io.idembox.event.InboxEvent;
import io.idembox.event.InboxListener;
import io.idembox.intent.IntentSender;
import io.idembox.internal.admin.ConsumerRegistry;
import io.idembox.internal.admin.DefaultAuditTrail;
import io.idembox.internal.admin.DefaultInboxAdmin;
import io.idembox.internal.engine.Care;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.HandlerRegistry;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.LeaseProcessor;
import io.idembox.internal.engine.LeaseReaper;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.jdbc.ApplicationRow;
import io.idembox.internal.jdbc.DetectedDatabase;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.Schema;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.worker.AlertMonitor;
import io.idembox.internal.worker.ConsumerHealthCheck;
import io.idembox.internal.worker.Maintenance;
import io.idembox.internal.worker.WorkNotifications;
import io.idembox.internal.worker.WorkerPool;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.spi.ConsumerEndpoint;
import io.idembox.spi.PayloadCodec;
import io.idembox.spi.Publisher;
import io.idembox.spi.RunningSource;
import io.idembox.spi.Source;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The only class that knows both the engine and the store: puts them together. Thread-safe. */
public final class InboxRuntime implements ConsumerRegistry {

    private static final Logger log = LoggerFactory.getLogger(InboxRuntime.class);

    private final JdbcInboxStore store;
    private final Parts parts;
    private final EventPublisher events;
    private final InstantSource clock;
    private final PayloadCodec codec;
    private final Map<String, Receiver> receivers = new ConcurrentHashMap<>();
    private final Map<String, WorkerPool> workerPools = new ConcurrentHashMap<>();
    private final Map<String, List<RunningSource>> runningSources = new ConcurrentHashMap<>();
    private final LeaseStore leases;
    private final Maintenance maintenance;
    private final @Nullable WorkNotifications workNotifications;
    private final OutboxWriter outboxWriter;
    private final InternalConsumers internalConsumers;

    /**
     * What the builder was told.
     *
     * @param policies by consumer
     * @param renamed old names by new name
     * @param outboxes by destination
     * @param codec null to look for one
     * @param clock null for the database's own
     * @param auditKey null to seal operations without one
     */
    public record Parts(
            Where where,
            Map<String, ConsumerPolicy> policies,
            Map<String, String> renamed,
            Map<String, OutboxPolicy> outboxes,
            List<InboxListener> listeners,
            @Nullable PayloadCodec codec,
            @Nullable InstantSource clock,
            @Nullable AuditKey auditKey) {}

    /**
     * Where the tables are and how to treat them.
     *
     * @param schema null for the connection's own
     * @param sessions where nodes tell each other of work; null to leave it to looking
     * @param create whether missing tables are created
     * @param lossAccepted whether unsafe durability settings are said instead of refused
     */
    public record Where(
            DataSource dataSource,
            @Nullable DataSource sessions,
            @Nullable String schema,
            String prefix,
            boolean create,
            boolean lossAccepted,
            Duration frontDoorWait) {}

    public InboxRuntime(Parts parts) {
        this.parts = parts;
        this.events = new EventPublisher(parts.listeners());
        this.clock = parts.clock() == null ? InstantSource.system() : parts.clock();
        this.codec = parts.codec() == null ? Codecs.find() : parts.codec();
        Where where = parts.where();
        DetectedDatabase detectedDatabase = DetectedDatabase.to(where.dataSource(), where.schema(), where.prefix());
        this.store = detectedDatabase.open(
                where.create(),
                where.lossAccepted(),
                new StoreSettings(where.frontDoorWait(), nodeName(), parts.clock()));
        this.leases = store.leases();
        this.outboxWriter = new OutboxWriter(store, codec, this::wakeAll);
        this.maintenance = new Maintenance(
                leases,
                store.retention(),
                store.pauses(),
                consumer -> new LeaseReaper(leases, consumer, outboxWriter, events).reap());
        this.workNotifications =
                where.sessions() == null ? null : new WorkNotifications(detectedDatabase.notices(where.sessions()));
        this.internalConsumers = new InternalConsumers(this, store, outboxWriter, clock);
        parts.outboxes().forEach(internalConsumers::open);
        maintenance.takeOn(desk()::advanceCampaigns);
        log.info("Idembox works on {}", detectedDatabase);
    }

    /** The shipped schema files above a version, as one script. */
    public static String schema(String database, String prefix, int fromVersion) {
        return Schema.print(database, prefix, fromVersion);
    }

    /** What the shipped schema files make and the database does not have. */
    public static List<String> missing(DataSource dataSource, @Nullable String schema, String prefix) {
        return Schema.missing(dataSource, schema, prefix);
    }

    /** The shipped script that makes roles and gives them their rights. */
    public static String roles(String database, String prefix) {
        return Schema.roles(database, prefix);
    }

    /** A row of the application, inserted, or updated if its version is lower; whether it was. */
    public static boolean upsertByVersion(
            Connection connection,
            String table,
            Map<String, @Nullable Object> key,
            Map<String, @Nullable Object> values,
            Map.Entry<String, Object> version)
            throws SQLException {
        return new ApplicationRow(table, key, values).upsert(connection, version);
    }

    /** A row of the application, updated if it is as expected; how many rows that were. */
    public static int compareAndSet(
            Connection connection,
            String table,
            Map<String, @Nullable Object> key,
            Map<String, @Nullable Object> expected,
            Map<String, @Nullable Object> values)
            throws SQLException {
        return new ApplicationRow(table, key, values).compareAndSet(connection, expected);
    }

    public ConsumerPolicy policyOf(String consumer) {
        return parts.policies().getOrDefault(consumer, ConsumerPolicy.defaults());
    }

    public HandlerRegistry routing(String consumer, @Nullable PayloadCodec own) {
        return new HandlerRegistry(consumer, own == null ? codec : own);
    }

    /** The receiver of a consumer with whatever policy it has. */
    public Receiver receiverOf(String consumer) {
        InternalConsumers.checkIsNotInside(consumer);
        Receiver receiver = receivers.get(consumer);
        return receiver == null ? receiver(consumer, policyOf(consumer)) : receiver;
    }

    /** The receiver of a consumer, made when it is first asked for. */
    public Receiver receiver(String consumer, ConsumerPolicy policy) {
        InternalConsumers.checkIsNotInside(consumer);
        return anyReceiver(consumer, policy);
    }

    /** The receiver of a consumer, or of one inside. */
    Receiver anyReceiver(String consumer, ConsumerPolicy policy) {
        Receiver receiver = receivers.computeIfAbsent(consumer, name -> open(name, policy));
        if (!receiver.consumer().policy().equals(policy)) {
            throw new InboxConfigurationException("Consumer " + consumer
                    + " is used with two different policies. Give it" + " one, on the builder or on its subscription.");
        }
        return receiver;
    }

    /** Starts the workers of a consumer. */
    public void startCrew(String name, ConsumerPolicy policy, Function<Message, HandlerTask> tasks) {
        startCrew(name, receiver(name, policy).leaseRun(leases, tasks));
    }

    void startCrew(String name, LeaseProcessor work) {
        WorkerPool workerPool = new WorkerPool(work, leases, maintenance);
        workerPools.put(name, workerPool);
        if (workNotifications != null) {
            int number = work.consumer().number();
            workNotifications.wake(number, () -> wakeHere(number));
        }
        workerPool.start();
    }

    boolean hasCrew(String name) {
        return workerPools.containsKey(name);
    }

    LeaseStore leases() {
        return leases;
    }

    PayloadCodec codec() {
        return codec;
    }

    /** Messages of a transaction that the application owns. */
    public void send(Connection connection, String destination, List<Message> messages) {
        internalConsumers.send(connection, destination, messages);
    }

    /** Something that was sent may be committed. */
    public void wakeRelays() {
        outboxWriter.wakeAll();
    }

    public void startRelays(Publisher publisher, List<String> destinations) {
        internalConsumers.startRelays(publisher, destinations);
    }

    /** Something that the handlers of a consumer may intend, and whoever brings it about. */
    public <T> void openIntent(
            String consumer, ConsumerPolicy policy, String name, Class<T> request, IntentDesk<T> admin) {
        internalConsumers.openIntent(receiver(consumer, policy).consumer(), name, request, admin);
    }

    /** Who brings an intent about, and how. */
    public record IntentDesk<T>(IntentSender<T> sender, IntentPolicy policy) {}

    /** Opens a source for a consumer; it is closed with the inbox. */
    public RunningSource open(String consumer, Source source, ConsumerEndpoint endpoint) {
        RunningSource runningSource = source.open(endpoint);
        runningSources
                .computeIfAbsent(consumer, name -> new CopyOnWriteArrayList<>())
                .add(runningSource);
        return runningSource;
    }

    /** Tells whoever listens. */
    public void tell(InboxEvent event) {
        events.tell(event);
    }

    /** The door for people. */
    public InboxAdmin admin() {
        return desk();
    }

    private DefaultInboxAdmin desk() {
        return new DefaultInboxAdmin(store, store.files(), this, events, clock, parts.auditKey());
    }

    /** What people did. */
    public AuditTrail audit() {
        return new DefaultAuditTrail(store.files().audit(), parts.auditKey());
    }

    /** A consumer by any of its names, with the policy it has on this node. */
    @Override
    public Optional<Known> find(String name) {
        return store.findConsumer(name, policyOf(name)).map(found -> {
            Optional<ConsumerPolicy> own = receiverHere(found.number())
                    .map(receiver -> receiver.consumer().policy())
                    .or(() -> nameHere(name, found.number()).map(this::policyOf));
            boolean worksHere = crewsOf(found.number()).findAny().isPresent();
            RegisteredConsumer known =
                    new RegisteredConsumer(found.name(), found.firstName(), found.number(), own.orElse(found.policy()));
            return new Known(known, own.isPresent(), worksHere);
        });
    }

    private Optional<Receiver> receiverHere(int number) {
        return receivers.values().stream()
                .filter(each -> each.consumer().number() == number)
                .findFirst();
    }

    /** The name under which this node was given the policy of a consumer that has several names. */
    private Optional<String> nameHere(String name, int number) {
        return parts.policies().containsKey(name)
                ? Optional.of(name)
                : parts.policies().keySet().stream()
                        .filter(each -> isName(each, number))
                        .findFirst();
    }

    private boolean isName(String name, int number) {
        return Stream.of(name, parts.renamed().getOrDefault(name, name))
                .distinct()
                .flatMap(each -> store.findConsumer(each, policyOf(name)).stream())
                .anyMatch(found -> found.number() == number);
    }

    @Override
    public Receiver receiver(String name) {
        if (receivers.containsKey(name) || parts.policies().containsKey(name)) {
            return receiverOf(name);
        }
        return store.findConsumer(name, policyOf(name))
                .map(RegisteredConsumer::number)
                .flatMap(number ->
                        receiverHere(number).or(() -> nameHere(name, number).map(this::receiverOf)))
                .orElseThrow(() -> new IllegalArgumentException("This inbox was not given the policy of consumer "
                        + name
                        + ", and the policy says which id a message has. Start its subscription first, or give it"
                        + " to the builder with consumer(name, policy)."));
    }

    @Override
    public List<RunningSource> sources(RegisteredConsumer consumer) {
        return runningSources.entrySet().stream()
                .filter(each -> receiverOf(each.getKey()).consumer().number() == consumer.number())
                .flatMap(each -> each.getValue().stream())
                .toList();
    }

    /** Something may be due for the consumer, by any of its names: whoever works on it is woken, here and on other nodes. */
    @Override
    public void wake(String name) {
        Receiver receiver = receivers.get(name);
        if (receiver != null) {
            wakeAll(receiver.consumer().number());
            return;
        }
        try {
            store.findConsumer(name, policyOf(name)).ifPresent(found -> wakeAll(found.number()));
        } catch (InboxException unavailable) {
            // What is due is committed; who is not woken looks by itself.
            log.debug("Nobody could be woken for consumer {}. {}", name, unavailable.getMessage());
        }
    }

    private void wakeAll(int consumer) {
        wakeHere(consumer);
        if (workNotifications != null) {
            workNotifications.ring(consumer);
        }
    }

    /** Something is written for the consumer, and about to be committed: whoever claims it now finds nothing. */
    void comesSoon(int consumer) {
        crewsOf(consumer).forEach(WorkerPool::expect);
        if (workNotifications != null) {
            workNotifications.ring(consumer);
        }
    }

    private void wakeHere(int consumer) {
        crewsOf(consumer).forEach(WorkerPool::wake);
    }

    private Stream<WorkerPool> crewsOf(int consumer) {
        return workerPools.values().stream()
                .filter(workerPool -> workerPool.consumer().number() == consumer);
    }

    /** Deliveries for the consumer were stored and answered: whoever works on them is woken. */
    public void stored(String name, List<Receipt> receipts) {
        if (receipts.stream().anyMatch(receipt -> receipt.kind() == Receipt.Kind.STORED)) {
            wake(name);
        }
    }

    /** Lets workers finish, gives back what they have not begun, and writes down what is still in memory. */
    public void close() {
        runningSources.values().stream().flatMap(List::stream).forEach(InboxRuntime::close);
        WorkerPool.closeAll(workerPools.values());
        if (workNotifications != null) {
            workNotifications.close();
        }
        internalConsumers.close();
        maintenance.close();
        receivers.values().forEach(Receiver::close);
    }

    /** One source that does not end well keeps nobody else from ending. */
    private static void close(RunningSource runningSource) {
        try {
            runningSource.close();
        } catch (RuntimeException thrown) {
            log.warn("A source did not end well. What it did not tell its broker is brought again.", thrown);
        }
    }

    private Receiver open(String name, ConsumerPolicy policy) {
        checkName(name);
        String oldName = parts.renamed().get(name);
        RegisteredConsumer consumer =
                oldName == null ? store.consumer(name, policy) : store.renamedConsumer(name, oldName, policy);
        policy.outgoing().deadLettersIfAny().ifPresent(outboxWriter::checkKnows);
        warnOfAnInertReplay(name, policy);
        OrderingCheck.run(store, consumer, events);
        Care care = new Care(leases, store.owners(), maintenance.watch(consumer));
        Receiver receiver = new Receiver(store, consumer, store.errorText(), clock, events, care, outboxWriter);
        maintenance.forget(consumer);
        maintenance.lookAfter(consumer, receiver.valve());
        if (!policy.alerts().areOff()) {
            maintenance.lookAfter(alarm(receiver));
        }
        return receiver;
    }

    private static void warnOfAnInertReplay(String name, ConsumerPolicy policy) {
        if (policy.replay() != Replay.FORBIDDEN && policy.recording() == Recording.IDS) {
            log.warn(
                    "Consumer {}: replay: {} has no effect, because recording: ids keeps no payloads; a replay would run 0 messages."
                            + " Set recording: full, or replay: forbidden.",
                    name,
                    policy.replay() == Replay.ALLOWED ? "allowed" : "no-effects");
        }
    }

    private AlertMonitor alarm(Receiver receiver) {
        var symptoms = new ConsumerHealthCheck(store.files().rows(), store.sequences(), receiver, clock);
        return new AlertMonitor(receiver.consumer(), symptoms, clock, events);
    }

    private static void checkName(String name) {
        if (name.isBlank() || name.length() > 200 || name.chars().anyMatch(Character::isISOControl)) {
            throw new InboxConfigurationException("A consumer's name has 1 to 200 printable characters; was '"
                    + name.replaceAll("\\p{Cntrl}", "?") + "'");
        }
    }

    /** Unique per start: a restarted process is another node. */
    private static String nodeName() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException unknown) {
            host = "unknown";
        }
        return host + "/" + ProcessHandle.current().pid() + "/"
                + UUID.randomUUID().toString().substring(0, 8);
    }
}
