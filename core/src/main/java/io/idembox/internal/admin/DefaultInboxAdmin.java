// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.admin.Attempt;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Command;
import io.idembox.admin.Count;
import io.idembox.admin.DeadLetter;
import io.idembox.admin.Explanation;
import io.idembox.admin.FailureGroup;
import io.idembox.admin.Filter;
import io.idembox.admin.ImportReport;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Lag;
import io.idembox.admin.MessagePage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.OldDeadLetters;
import io.idembox.admin.Operation;
import io.idembox.admin.OperationRecord;
import io.idembox.admin.Page;
import io.idembox.admin.Preview;
import io.idembox.admin.Replays;
import io.idembox.admin.Report;
import io.idembox.admin.Status;
import io.idembox.admin.StoredPayload;
import io.idembox.audit.AuditKey;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.DeadLetterImporter;
import io.idembox.internal.engine.ErrorText;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.policy.Fingerprint;
import io.idembox.spi.RunningSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Default {@link InboxAdmin}. Thread-safe. */
public final class DefaultInboxAdmin implements InboxAdmin {

    private static final Logger log = LoggerFactory.getLogger(DefaultInboxAdmin.class);

    private static final int ATTEMPTS = 100;
    private static final int OPERATIONS = 20;
    private static final int CONFLICTS = 10;
    private static final int PREVIEW_CAP = 10_000;
    private static final Set<Status> NOT_COMPLETED = EnumSet.complementOf(EnumSet.of(Status.COMPLETED));

    private final AdminStore rows;
    private final CommandExecutor commands;
    private final PauseCommands pauseCommands;
    private final DefaultCampaigns campaigns;
    private final DefaultReplays replays;
    private final FailureGroupNotes failureGroupNotes;
    private final PayloadAccess payloadAccess;
    private final ConsumerRegistry consumers;
    private final EventPublisher events;

    /** @param key seals operations; null to seal without a key */
    public DefaultInboxAdmin(
            InboxStore store,
            AdminStores adminStores,
            ConsumerRegistry consumers,
            EventPublisher events,
            InstantSource clock,
            @Nullable AuditKey key) {
        OperationExecutor operations = new OperationExecutor(store, adminStores.commands(), key);
        this.pauseCommands = new PauseCommands(adminStores.commands(), adminStores.pauses(), operations);
        this.failureGroupNotes = new FailureGroupNotes(adminStores.commands(), operations);
        this.payloadAccess = new PayloadAccess(adminStores.rows(), operations);
        this.rows = adminStores.rows();
        this.commands = new CommandExecutor(store, adminStores.commands(), operations);
        ReplayRunner replay = adminStores
                .replays()
                .map(each -> new ReplayRunner(store, each, adminStores.commands(), adminStores.campaigns(), consumers))
                .orElse(null);
        ReplayRefusals refusals = new ReplayRefusals(operations, events);
        this.campaigns = new DefaultCampaigns(
                rows,
                adminStores.campaigns(),
                consumers,
                operations,
                refusals,
                new CampaignRunner(
                        store, adminStores.campaigns(), adminStores.commands(), commands, operations, replay));
        this.replays = new DefaultReplays(campaigns, consumers, replay, clock, refusals);
        this.consumers = consumers;
        this.events = events;
    }

    @Override
    public List<String> consumers() {
        return rows.consumers();
    }

    @Override
    public Optional<InboxMessage> find(String consumer, MessageId id) {
        return named(consumer).flatMap(known -> find(known, id));
    }

    private Optional<InboxMessage> find(ConsumerRegistry.Known known, MessageId id) {
        return isStorable(id.source()) ? rows.find(known.consumer(), id) : Optional.empty();
    }

    /** Finds a consumer; a name that no column can hold is unknown. */
    private Optional<ConsumerRegistry.Known> named(String consumer) {
        return isStorable(consumer) ? consumers.find(consumer) : Optional.empty();
    }

    private static boolean isStorable(String text) {
        return text.codePoints().noneMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE);
    }

    @Override
    public MessagePage list(Filter filter, Page page) {
        List<InboxMessage> found = named(filter.consumer())
                .map(known -> rows.findPage(known.consumer(), filter, page))
                .orElse(List.of());
        return new MessagePage(
                found,
                found.size() < page.size()
                        ? Optional.empty()
                        : Optional.of(new Page(found.get(found.size() - 1).arrival(), page.size())));
    }

    @Override
    public Count count(Filter filter, int cap) {
        if (cap < 1 || cap == Integer.MAX_VALUE) {
            throw new IllegalArgumentException("The cap of a count must be at least 1; was " + cap);
        }
        int counted = named(filter.consumer())
                .map(known -> rows.count(known.consumer(), filter, cap + 1))
                .orElse(0);
        return new Count(Math.min(counted, cap), counted <= cap);
    }

    @Override
    public List<FailureGroup> failureGroups(Filter filter, int atMost) {
        if (atMost < 1 || atMost > LIMIT) {
            throw new IllegalArgumentException("1 to " + LIMIT + " failure groups can be listed; was " + atMost);
        }
        return named(filter.consumer())
                .map(known -> rows.groups(known.consumer(), filter, atMost))
                .orElse(List.of());
    }

    @Override
    public Lag lag(String consumer) {
        return named(consumer)
                .map(known -> lag(consumer, known.consumer()))
                .orElseGet(() -> new Lag(consumer, new Count(0, true), null, List.of()));
    }

    private Lag lag(String name, RegisteredConsumer consumer) {
        AdminStore.Waiting waiting = rows.waiting(consumer, PREVIEW_CAP + 1);
        return new Lag(
                name,
                new Count(Math.min(waiting.number(), PREVIEW_CAP), waiting.number() <= PREVIEW_CAP),
                waiting.oldest(),
                consumers.sources(consumer).stream()
                        .map(runningSource -> backlogOf(name, runningSource))
                        .toList());
    }

    /** A broker that does not answer must not hide the backlog of the inbox. */
    private static Lag.BrokerLag backlogOf(String consumer, RunningSource runningSource) {
        try {
            return new Lag.BrokerLag(runningSource.backlog(), null);
        } catch (RuntimeException away) {
            log.debug("Consumer {}: could not read the backlog of its broker", consumer, away);
            return new Lag.BrokerLag(null, "The broker did not answer: " + away.getMessage());
        }
    }

    @Override
    public List<Attempt> attempts(InboxMessage message) {
        return rows.attempts(message.arrival(), ATTEMPTS);
    }

    @Override
    public List<OperationRecord> operations(InboxMessage message) {
        return named(message.consumer())
                .map(known -> rows.operations(known.consumer(), message.arrival(), OPERATIONS))
                .orElse(List.of());
    }

    @Override
    public Explanation explain(String consumer, MessageId id) {
        Optional<ConsumerRegistry.Known> known = named(consumer);
        Optional<InboxMessage> found = known.flatMap(each -> find(each, id));
        if (known.isEmpty() || found.isEmpty()) {
            return new Explanation(MessageExplainer.unknown(consumer, id));
        }
        String paused = pauseCommands.reason(known.get().consumer()).orElse(null);
        List<String> sentences = new ArrayList<>(explain(known.get(), found.get(), paused));
        Filter conflicts = Filter.of(consumer).statuses(NOT_COMPLETED).id(id);
        Deque<InboxMessage> last = new ArrayDeque<>();
        int others = lastOf(known.get(), conflicts, last);
        if (others > 0) {
            sentences.add(others
                    + " earlier payloads that conflict with it are not explained here; list the id to see them.");
        }
        last.forEach(each -> sentences.addAll(explain(known.get(), each, paused)));
        return new Explanation(sentences);
    }

    /** Collects the last conflicts page by page, in bounded memory; returns how many were left out. */
    private int lastOf(ConsumerRegistry.Known known, Filter conflicts, Deque<InboxMessage> last) {
        int others = 0;
        Page page = Page.first(LIMIT);
        for (int pages = 0; pages < PREVIEW_CAP / LIMIT; pages++) {
            List<InboxMessage> found = rows.findPage(known.consumer(), conflicts, page);
            for (InboxMessage each : found) {
                if (each.content().original() != null) {
                    last.addLast(each);
                }
            }
            while (last.size() > CONFLICTS) {
                last.removeFirst();
                others++;
            }
            if (found.size() < page.size()) {
                break;
            }
            page = new Page(found.get(found.size() - 1).arrival(), page.size());
        }
        return others;
    }

    private List<String> explain(ConsumerRegistry.Known known, InboxMessage message, @Nullable String paused) {
        return new MessageExplainer(
                        message,
                        attempts(message),
                        operations(message),
                        rows.keyPosition(known.consumer(), message.arrival()),
                        known,
                        paused)
                .sentences();
    }

    @Override
    public Preview preview(Filter filter, int limit) {
        List<InboxMessage> first = list(filter, Page.first(limit)).messages();
        return new Preview(first, count(filter, PREVIEW_CAP));
    }

    @Override
    public Report redrive(List<MessageRef> ref, Operation operation) {
        return run(Command.REDRIVE, ref, operation);
    }

    @Override
    public Report park(List<MessageRef> ref, Operation operation) {
        return run(Command.PARK, ref, operation);
    }

    @Override
    public Report discard(List<MessageRef> ref, Operation operation) {
        return run(Command.DISCARD, ref, operation);
    }

    @Override
    public Report restore(List<MessageRef> ref, Operation operation) {
        return run(Command.RESTORE, ref, operation);
    }

    @Override
    public Campaigns campaigns() {
        return campaigns;
    }

    @Override
    public Replays replays() {
        return replays;
    }

    /** Advances the campaigns of consumers that this node has; returns how soon the next step may be due. */
    public Duration advanceCampaigns() {
        return campaigns.advanceAll();
    }

    @Override
    public ImportReport importDeadLetters(String consumer, List<DeadLetter> letters, OldDeadLetters old) {
        if (letters.size() > LIMIT) {
            throw new IllegalArgumentException(
                    "At most " + LIMIT + " dead letters can be imported at a time; was " + letters.size());
        }
        IdentityHashMap<Message, DeadLetterImporter.Told> told = new IdentityHashMap<>();
        for (DeadLetter delivery : letters) {
            told.put(
                    delivery.message(),
                    new DeadLetterImporter.Told(
                            ErrorText.reported(delivery.errorClass(), delivery.error(), delivery.stackTrace()),
                            delivery.sentBefore()));
        }
        ImportReport importReport = new ImportReport(consumers
                .receiver(consumer)
                .adopting()
                .adopt(
                        letters.stream().map(DeadLetter::message).toList(),
                        message -> Objects.requireNonNull(told.get(message)),
                        old == OldDeadLetters.PARK)
                .stream()
                .map(DefaultInboxAdmin::line)
                .toList());
        log.info(
                "Consumer {}: imported {} dead letters ({} parked, {} already known, {} too old)",
                consumer,
                letters.size(),
                importReport.count(ImportReport.Outcome.PARKED),
                importReport.count(ImportReport.Outcome.KNOWN),
                importReport.count(ImportReport.Outcome.TOO_OLD));
        return importReport;
    }

    private static ImportReport.Line line(DeadLetterImporter.Answer answer) {
        Receipt receipt = answer.receipt();
        if (receipt == null) {
            return new ImportReport.Line(
                    answer.parked() ? ImportReport.Outcome.PARKED : ImportReport.Outcome.TOO_OLD,
                    answer.id(),
                    answer.forgottenAfter() == null
                            ? ""
                            : "it is older than the retention of ledger rows (retention.ledger, "
                                    + answer.forgottenAfter().toHours()
                                    + " hours). If the consumer has completed it, a redrive repeats its effect");
        }
        return switch (receipt.kind()) {
            case DUPLICATE, COMPLETED, SKIPPED ->
                new ImportReport.Line(ImportReport.Outcome.KNOWN, answer.id(), "it is already completed");
            case STORED ->
                new ImportReport.Line(
                        ImportReport.Outcome.KNOWN, answer.id(), "it is already in the inbox, unfinished");
            case FAILED ->
                new ImportReport.Line(
                        ImportReport.Outcome.KNOWN, answer.id(), "it already failed in this inbox; left unchanged");
            case BUSY -> new ImportReport.Line(ImportReport.Outcome.BUSY, answer.id(), receipt.toString());
            case REFUSED ->
                new ImportReport.Line(
                        answer.id() == null ? ImportReport.Outcome.REFUSED : ImportReport.Outcome.CONFLICT,
                        answer.id(),
                        receipt.toString());
        };
    }

    @Override
    public boolean pause(String consumer, Operation operation) {
        return changePause(consumer, Command.PAUSE, operation);
    }

    @Override
    public boolean resume(String consumer, Operation operation) {
        return changePause(consumer, Command.RESUME, operation);
    }

    @Override
    public Optional<String> paused(String consumer) {
        return named(consumer).flatMap(known -> pauseCommands.reason(known.consumer()));
    }

    private boolean changePause(String consumer, Command command, Operation operation) {
        OperationExecutor.Answer answer = pauseCommands.run(known(consumer).consumer(), command, operation);
        boolean changed = answer.kept().done() == 1;
        if (changed && !answer.repeated()) {
            consumers.wake(consumer);
            events.tell(new InboxEvent.OperationPerformed(consumer, command, operation, 1, 0));
            log.info(
                    "Consumer {} was {} by {} (operation {}): {}",
                    consumer,
                    command.done(),
                    operation.by(),
                    operation.id(),
                    operation.reason());
        }
        return changed;
    }

    @Override
    public void note(String consumer, UUID group, String text, Operation operation) {
        OperationExecutor.Answer answer =
                failureGroupNotes.write(known(consumer).consumer(), group, text, operation);
        if (!answer.repeated()) {
            events.tell(new InboxEvent.OperationPerformed(
                    consumer, Command.NOTE, answer.kept().operation(), 1, 0));
        }
    }

    @Override
    public Optional<StoredPayload> payload(String consumer, MessageId id, Operation operation) {
        return read(consumer, id, null, operation);
    }

    @Override
    public Optional<StoredPayload> payload(String consumer, MessageId id, int revision, Operation operation) {
        return read(consumer, id, revision, operation);
    }

    private Optional<StoredPayload> read(
            String consumer, MessageId id, @Nullable Integer revision, Operation operation) {
        return named(consumer)
                .flatMap(known -> find(known, id)
                        .flatMap(message ->
                                payloadAccess.read(known.consumer(), message.arrival(), revision, operation)));
    }

    private ConsumerRegistry.Known known(String consumer) {
        return named(consumer)
                .orElseThrow(() -> new IllegalArgumentException("Unknown consumer " + consumer
                        + ". A consumer is known once it has received its first message."));
    }

    @Override
    public Report edit(MessageRef ref, Payload payload, Operation operation) {
        ConsumerRegistry.Known known = known(ref.consumer());
        long most = known.consumer().policy().limits().payloadBytes();
        if (payload.size() > most) {
            throw new IllegalArgumentException("The payload has " + payload.size() + " bytes, but consumer "
                    + ref.consumer() + " allows " + most + " (limits.payload-bytes). Nothing was changed.");
        }
        Operation whole = operation.selectedBy(
                payload + ", fingerprint " + Fingerprint.ofBytes().of(payload));
        return execute(Command.EDIT, List.of(ref), whole, order -> commands.edit(order, payload));
    }

    private Report run(Command command, List<MessageRef> ref, Operation operation) {
        return execute(command, ref, operation, commands::run);
    }

    private Report execute(
            Command command,
            List<MessageRef> ref,
            Operation operation,
            Function<CommandExecutor.Order, OperationExecutor.Answer> doing) {
        String consumer = consumerOf(ref);
        ConsumerRegistry.Known known = known(consumer);
        List<MessageVersion> messageVersion = ref.stream()
                .map(each -> new MessageVersion(each.arrival(), each.version()))
                .toList();
        Report report = report(ref, doing.apply(new CommandExecutor.Order(known, command, messageVersion, operation)));
        if (!report.repeated()) {
            consumers.wake(consumer);
            events.tell(new InboxEvent.OperationPerformed(
                    consumer,
                    command,
                    operation,
                    report.done(),
                    report.refused().size()));
            log.info(
                    "Consumer {}: {} of {} messages were {} by {} (operation {}): {}",
                    consumer,
                    report.done(),
                    ref.size(),
                    command.done(),
                    operation.by(),
                    operation.id(),
                    operation.reason());
        }
        return report;
    }

    private static Report report(List<MessageRef> ref, OperationExecutor.Answer answer) {
        RecordedOperation kept = answer.kept();
        List<Report.Line> lines = ref.stream()
                .map(each -> new Report.Line(each, kept.resultOf(each.arrival())))
                .toList();
        return new Report(kept.command(), kept.operation(), kept.at(), answer.repeated(), lines);
    }

    private static String consumerOf(List<MessageRef> ref) {
        Set<String> names = ref.stream().map(MessageRef::consumer).collect(Collectors.toSet());
        long messages = ref.stream().map(MessageRef::arrival).distinct().count();
        if (names.size() != 1 || ref.size() > LIMIT || messages < ref.size()) {
            throw new IllegalArgumentException("A command takes 1 to " + LIMIT
                    + " different messages of one consumer; was " + ref.size() + " messages of consumers " + names);
        }
        return names.iterator().next();
    }
}
