// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.testkit.fault.FaultyDataSource;
import io.idembox.testkit.fault.ProcessGone;
import io.idembox.testkit.fault.Step;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The route of a crash window: the process under test meets its fault, the broker redelivers unacknowledged messages,
 * and finally delivers all messages once more as late duplicates.
 *
 * <p>Late duplicates come last and must change nothing: no row of the application's tables, and no handler may run.
 * This makes a loss visible. A lost message has no ledger row, so its late duplicate would do the missing work, and a
 * check afterwards would pass. For one test thread.
 */
final class CrashRun implements InboxHarness.Route {

    private static final Duration PATIENT = Duration.ofSeconds(1);
    private static final Duration HASTY = Duration.ofMillis(50);
    private static final Duration PAUSE_LIMIT = Duration.ofSeconds(2);

    private final CrashWindowsSetup setup;
    private final CrashWindow window;
    private final DataSource database;
    private final Broker broker;
    private final FaultyDataSource process;
    private final InboxHarness.Builder options;
    private final Node underTest;
    private final WindowNotes notes = new WindowNotes();
    private @Nullable Node otherNode;

    CrashRun(CrashWindowsSetup setup, CrashWindow window, DataSource database, Broker broker) {
        this.setup = setup;
        this.window = window;
        this.database = database;
        this.broker = broker;
        this.process = FaultyDataSource.around(database);
        this.options = optionsOn(process);
        this.underTest = options.node(broker, process::delivery, PATIENT);
        if (window.plan().isEmpty()) {
            process.record();
        } else {
            process.inject(window.plan().get(), this::redeliverDuringPause, PAUSE_LIMIT);
        }
    }

    private InboxHarness.Builder optionsOn(DataSource dataSource) {
        InboxHarness.Builder given = setup.inbox(dataSource);
        if (given.dataSource != dataSource) {
            throw new IllegalStateException("inbox(process) must return a harness on the given DataSource,"
                    + " because faults are injected there: InboxHarness.on(process)...");
        }
        return given;
    }

    InboxHarness.Builder options() {
        return options;
    }

    WindowNotes notes() {
        return notes;
    }

    List<Step> steps() {
        return process.steps();
    }

    Optional<Step> faultStep() {
        return process.faultStep();
    }

    @Override
    public List<Receipt> deliver(List<Message> messages) {
        Receipts last = new Receipts();
        List<Receipt> first = receive(messages);
        notes.answered(first);
        last.add(messages, first);
        for (int round = 0; !broker.waiting().isEmpty(); round++) {
            if (round == options.redeliveries) {
                throw new AssertionError(named(broker.waiting()) + " not acknowledged after " + round
                        + " redeliveries; the last answers were " + last.of(broker.waiting()));
            }
            List<Message> again = broker.waiting();
            List<Receipt> receipts = receive(again);
            notes.redelivered(receipts);
            last.add(again, receipts);
            options.clock.advance(Receipts.pause(receipts));
        }
        Receipts late = lateDuplicates();
        return messages.stream()
                .map(message -> last.of(List.of(message)).stream()
                        .findFirst()
                        .orElseGet(() -> late.of(List.of(message)).get(0)))
                .toList();
    }

    @Override
    public List<Receipt> redeliver(List<Message> messages) {
        return receive(messages);
    }

    /**
     * One poll by the process under test, or by the other process after a crash. Returns no receipts when the process
     * crashes or the database does not answer.
     */
    private List<Receipt> receive(List<Message> messages) {
        if (process.isCrashed()) {
            return otherNode().receive(messages);
        }
        boolean faultless = process.faultStep().isPresent();
        try {
            List<Receipt> receipts = underTest.receive(messages);
            if (window.isPause() && !faultless && process.faultStep().isPresent()) {
                notes.pauseEndedInTime(process.awaitPauseTask());
            }
            if (!process.isCrashed()) {
                return receipts;
            }
        } catch (InboxException unavailable) {
            if (faultless || window.isPause() || process.faultStep().isEmpty()) {
                throw unavailable; // no injected fault explains it
            }
            notes.threw(unavailable);
            return List.of();
        } catch (RuntimeException | Error thrown) {
            if (!process.isCrashed()) {
                throw thrown;
            }
        }
        notes.crashed();
        return List.of();
    }

    /** Redelivers to another process while the process under test is paused. */
    private void redeliverDuringPause() {
        List<Message> waiting = broker.waiting();
        try {
            notes.redelivered(otherNode().receive(waiting));
        } catch (InboxException unavailable) {
            notes.threw(unavailable);
        }
    }

    private Receipts lateDuplicates() {
        Map<String, TestTables.Content> before = TestTables.contents(database, options.tablePrefix);
        List<Message> everything = broker.sent();
        List<Receipt> answers = otherNode().receive(everything);
        notes.late(answers);
        Map<String, TestTables.Content> after = TestTables.contents(database, options.tablePrefix);
        notes.tables(after);
        for (int i = 0; i < answers.size(); i++) {
            Receipt answer = answers.get(i);
            if (answer.kind() == Receipt.Kind.COMPLETED) {
                throw new AssertionError(named(List.of(everything.get(i))) + " lost: it was acknowledged, but"
                        + " the inbox had not recorded it, and a late duplicate was handled as new.");
            }
            if (!answer.acknowledges()) {
                throw new AssertionError(named(List.of(everything.get(i))) + " stuck: it was acknowledged, but a late"
                        + " duplicate was answered " + answer);
            }
        }
        if (!before.equals(after)) {
            throw new AssertionError("Late duplicates changed the tables: before " + before + ", after " + after
                    + ". The handler did something again, or did it late.");
        }
        Receipts late = new Receipts();
        late.add(everything, answers);
        return late;
    }

    private static String named(List<Message> messages) {
        String first = messages.stream()
                .limit(10)
                .map(Message::toString)
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
        return messages.size() > 10 ? first + " and " + (messages.size() - 10) + " more" : first;
    }

    /**
     * A process without faults: the new one after a crash, the second one during a pause, and the one for late
     * duplicates.
     */
    private synchronized Node otherNode() {
        Node running = otherNode;
        if (running == null) {
            InboxHarness.Builder fresh = optionsOn(database);
            fresh.clock = options.clock;
            running = fresh.node(broker, UnaryOperator.identity(), HASTY);
            otherNode = running;
        }
        return running;
    }

    @Override
    public void close() {
        if (!process.isCrashed()) {
            process.record(); // closing takes steps as well; a fault that has not happened by now must not happen there
            underTest.close();
        } else {
            endThreads();
        }
        process.crash(); // cuts the sessions that a handler left open
        synchronized (this) {
            if (otherNode != null) {
                otherNode.close();
            }
        }
    }

    /** Ends the threads of the crashed process, which only simulates a crash and still has threads. */
    private void endThreads() {
        try {
            underTest.close();
        } catch (ProcessGone gone) {
            // The crashed process can no longer reach the database; its errors are expected.
        }
    }
}
