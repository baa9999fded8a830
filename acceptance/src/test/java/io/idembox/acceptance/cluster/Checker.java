// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import io.idembox.Receipt;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares what is in the database with what was sent, message by message. Every message is one of these, exactly: done
 * once; poison that the rules gave up after so many attempts; parked because three processes ended with it in hand; or
 * waiting behind one of its key that is parked. Not thread-safe.
 */
final class Checker {

    private static final String LEASE_EXPIRED = "LeaseExpired";

    private final Workload workload;
    private final boolean unfenced;
    private final Map<String, List<Long>> effects = new HashMap<>();
    private final Map<String, Row> rows = new HashMap<>();
    private final Map<String, List<Attempt>> attempts = new HashMap<>();
    private final Findings findings = new Findings();

    /** A message as the inbox shows it. */
    private record Row(String status, String reason, long arrival, int attempts, int failures, int crashes) {

        /** Whether it holds those behind it. */
        boolean holds() {
            return status.equals("FAILED_TERMINAL") || status.equals("PARKED");
        }
    }

    private record Attempt(int number, String errorClass) {

        boolean isCrash() {
            return errorClass.equals(LEASE_EXPIRED);
        }

        boolean isFailure() {
            return errorClass.equals(ClusterConsumer.OnPurpose.class.getName());
        }
    }

    private Checker(Workload workload, boolean unfenced) {
        this.workload = workload;
        this.unfenced = unfenced;
    }

    /** Looks at everything as it is now. */
    static Checker check(Scene scene, Workload workload, Options options) throws SQLException {
        Checker checker = new Checker(workload, options.unfenced());
        checker.read(scene);
        workload.byKey().forEach(checker::checkKey);
        return checker;
    }

    Findings findings() {
        return findings;
    }

    private void read(Scene scene) throws SQLException {
        scene.forRows(
                "select id, written from effect order by written",
                row -> effects.computeIfAbsent(row.getString(1), id -> new ArrayList<>())
                        .add(row.getLong(2)));
        scene.forRows(
                "select message_id, status, reason, arrival, attempts, failures, crashes from idembox_inbox"
                        + " where consumer = '" + ClusterConsumer.CONSUMER + "'",
                row -> rows.put(
                        row.getString(1),
                        new Row(
                                row.getString(2),
                                row.getString(3),
                                row.getLong(4),
                                row.getInt(5),
                                row.getInt(6),
                                row.getInt(7))));
        scene.forRows(
                "select convert_from(substr(l.id, 2), 'UTF8'), a.number, a.error_class from idembox_attempt a"
                        + " join idembox_ledger l on l.arrival = a.arrival order by a.number",
                row -> attempts.computeIfAbsent(row.getString(1), id -> new ArrayList<>())
                        .add(new Attempt(row.getInt(2), row.getString(3))));
        int sent = workload.items().size();
        if (rows.size() > sent) {
            findings.misjudged("the inbox has " + rows.size() + " messages, but " + sent + " were sent");
        }
        effects.values().forEach(written -> findings.effects += written.size());
    }

    private void checkKey(List<Workload.Item> line) {
        boolean held = false;
        long lastWritten = -1;
        long lastArrival = -1;
        for (Workload.Item item : line) {
            Row row = rows.get(item.id());
            List<Long> written = effects.getOrDefault(item.id(), List.of());
            if (row == null) {
                findings.lost(item + " has no mark and " + written.size() + " effects");
                continue;
            }
            if (row.arrival() <= lastArrival) {
                findings.outOfOrder(item + " was stored before one that was sent earlier");
            }
            lastArrival = row.arrival();
            if (written.size() > 1) {
                findings.doubled(item + " has " + written.size() + " effects; it is " + row);
            }
            if (!written.isEmpty()) {
                if (written.get(0) < lastWritten) {
                    findings.outOfOrder(item + " was done before one that was sent earlier");
                }
                lastWritten = written.get(written.size() - 1);
            }
            checkState(item, row, written.size(), held);
            checkAttempts(item, row, attempts.getOrDefault(item.id(), List.of()));
            held |= row.holds();
        }
    }

    private void checkState(Workload.Item item, Row row, int count, boolean held) {
        switch (row.status()) {
            case "COMPLETED" -> {
                if (count == 0) {
                    findings.lost(item + " is completed without an effect");
                }
                if (held) {
                    findings.outOfOrder(item + " passed one that holds its key");
                }
                if (item.fate() == Fate.POISON) {
                    findings.misjudged(item + " is completed");
                }
            }
            case "FAILED_TERMINAL" -> {
                findings.givenUp++;
                if (item.fate() != Fate.POISON || held || row.failures() != ClusterConsumer.ATTEMPTS) {
                    findings.misjudged(item + " was given up, held=" + held + ": " + row);
                }
            }
            case "PARKED" -> {
                // By bad luck three killed processes had it in hand: what a message that ends processes looks like.
                findings.parkedCrash++;
                if (!"CRASH".equals(row.reason()) || row.crashes() != 3 || held) {
                    findings.misjudged(item + " is parked, held=" + held + ": " + row);
                }
            }
            case "WAITING" -> {
                findings.waiting++;
                if (!held) {
                    findings.unfinished(item + " waits for nobody");
                }
            }
            default -> findings.unfinished(item + " is " + row);
        }
        if (count == 1 && !row.status().equals("COMPLETED")) {
            findings.doubled(item + " has an effect, and will have another: it is " + row);
        }
    }

    /** Every attempt that did not end well is told, and only what was told to fail failed. */
    private void checkAttempts(Workload.Item item, Row row, List<Attempt> told) {
        long failed = told.stream().filter(Attempt::isFailure).count();
        long crashed = told.stream().filter(Attempt::isCrash).count();
        findings.failures += (int) failed;
        findings.crashes += (int) crashed;
        if (unfenced) {
            return; // that engine does not write down how often it tried
        }
        if (failed + crashed != told.size()) {
            findings.misjudged(item + " has attempts that nobody asked for: " + told);
        }
        if (told.stream().anyMatch(each -> each.isFailure() && !item.fate().fails(each.number()))) {
            findings.misjudged(item + " failed in an attempt in which it had to succeed: " + told);
        }
        boolean completed = row.status().equals("COMPLETED");
        int releases = row.attempts() - told.size() - (completed ? 1 : 0);
        findings.releases += Math.max(0, releases);
        if (releases < 0 || (completed && told.stream().anyMatch(each -> each.number() >= row.attempts()))) {
            findings.misjudged(item + " counted " + row.attempts() + " attempts, but there were " + told);
        }
        if (completed && item.fate().fails(row.attempts())) {
            findings.misjudged(item + " was completed in an attempt in which it had to fail: " + row);
        }
    }

    /** What late copies of everything were answered: what became of the message, and nothing else. */
    void checkAnswers(Map<String, Receipt.Kind> answers) {
        answers.forEach((id, answer) -> {
            Receipt.Kind expected = switch (rows.get(id).status()) {
                case "COMPLETED" -> Receipt.Kind.DUPLICATE;
                case "WAITING" -> Receipt.Kind.STORED;
                default -> Receipt.Kind.FAILED;
            };
            if (answer != expected) {
                findings.misjudged(id + " was answered " + answer + " instead of " + expected);
            }
        });
    }
}
