// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import java.util.List;
import java.util.function.Predicate;

/**
 * Compares what consumers left behind with what the broker acknowledged, message by message. For each consumer every
 * acknowledged message is one of these, exactly: done once; parked because three processes ended with it in hand; or waiting
 * behind one of its key that is parked. Not thread-safe.
 */
final class Checker {

    private static final int CRASHES = 3;

    private final Workload workload;
    private final Predicate<Workload.Item> acked;
    private final Findings findings = new Findings();

    Checker(Workload workload, Predicate<Workload.Item> acked) {
        this.workload = workload;
        this.acked = acked;
    }

    Findings findings() {
        return findings;
    }

    /** @param passed what the broker was told to be done, and will not bring again by itself */
    void check(History history, Predicate<Workload.Item> passed) {
        history.effects().values().forEach(written -> findings.effects += written.size());
        workload.byKey().forEach(line -> checkKey(line, history, passed));
    }

    private void checkKey(List<Workload.Item> line, History history, Predicate<Workload.Item> passed) {
        boolean held = false;
        long lastWritten = -1;
        for (Workload.Item item : line) {
            if (!acked.test(item)) {
                continue; // the broker may have it or not
            }
            String what = history.consumer() + " " + item;
            History.Row row = history.rows().get(item.id());
            List<Long> written = history.effects().getOrDefault(item.id(), List.of());
            if (written.size() > 1) {
                findings.duplicated(what + " has " + written.size() + " effects; it is " + row);
            }
            if (!written.isEmpty()) {
                if (written.get(0) < lastWritten) {
                    findings.reordered(what + " was done before one that was sent earlier");
                } else if (held) {
                    findings.reordered(what + " passed one that holds its key");
                }
                lastWritten = written.get(written.size() - 1);
            }
            if (row == null) {
                checkWithoutRow(what, written.size(), passed.test(item));
            } else {
                checkState(passed.test(item) ? what + " (acknowledged)" : what, row, written.size(), held);
                held |= row.holds();
            }
        }
    }

    private void checkWithoutRow(String what, int count, boolean passed) {
        if (count > 0) {
            findings.duplicated(what + " has an effect and no mark: it would have another");
        } else if (passed) {
            findings.lost(what + " has no mark and no effect, and the broker was told that it is done");
        } else {
            findings.stuck(what + " was never taken from the broker");
        }
    }

    private void checkState(String what, History.Row row, int count, boolean held) {
        if (row.status().equals("COMPLETED")) {
            if (count == 0) {
                findings.lost(what + " is completed without an effect");
            }
            return;
        }
        if (count == 1) {
            findings.duplicated(what + " has an effect, and will have another: it is " + row);
        }
        switch (row.status()) {
            case "PARKED" -> {
                // By bad luck three killed processes had it in hand: what a message that ends processes looks like.
                findings.parked++;
                if (!"CRASH".equals(row.reason()) || row.crashes() != CRASHES || held) {
                    findings.misjudged(what + " is parked, held=" + held + ": " + row);
                }
            }
            case "FAILED_TERMINAL" -> {
                findings.parked++;
                findings.misjudged(what + " was given up: " + row);
            }
            case "WAITING" -> {
                if (held) {
                    findings.waiting++;
                } else {
                    findings.stuck(what + " waits for nobody");
                }
            }
            default -> findings.stuck(what + " is " + row);
        }
    }
}
