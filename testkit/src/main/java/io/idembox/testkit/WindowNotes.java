// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.InboxException;
import io.idembox.Receipt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Records the events of one crash window for the report. Thread-safe. */
final class WindowNotes {

    private final List<String> process = new ArrayList<>();
    private final List<String> redelivery = new ArrayList<>();
    private final List<String> late = new ArrayList<>();
    private Map<String, Integer> rows = Map.of();

    /** The receipts of the process under test; none when it crashed. */
    synchronized void answered(List<Receipt> receipts) {
        if (!receipts.isEmpty()) {
            process.add(kinds(receipts));
        }
    }

    synchronized void crashed() {
        process.add("crashed");
    }

    synchronized void threw(InboxException thrown) {
        process.add(thrown.getClass().getSimpleName());
    }

    synchronized void redelivered(List<Receipt> receipts) {
        redelivery.add(kinds(receipts));
    }

    synchronized void pauseEndedInTime(boolean inTime) {
        if (!inTime) {
            redelivery.add("(waited for the paused process)");
        }
    }

    synchronized void late(List<Receipt> receipts) {
        late.add(kinds(receipts));
    }

    synchronized void tables(Map<String, TestTables.Content> contents) {
        rows = new LinkedHashMap<>();
        contents.forEach((table, content) -> rows.put(table, content.rows()));
    }

    synchronized String process() {
        return words(process);
    }

    synchronized String redelivery() {
        return words(redelivery);
    }

    synchronized String late() {
        return words(late);
    }

    synchronized String tables() {
        return rows.entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining(", "));
    }

    private static String words(List<String> notes) {
        return notes.isEmpty() ? "–" : String.join(", then ", notes);
    }

    /** {@code COMPLETED} or {@code 2 COMPLETED + 1 BUSY}. */
    private static String kinds(List<Receipt> receipts) {
        if (receipts.isEmpty()) {
            return "no answer";
        }
        Map<Receipt.Kind, Long> counts = receipts.stream()
                .collect(Collectors.groupingBy(Receipt::kind, LinkedHashMap::new, Collectors.counting()));
        if (receipts.size() == 1) {
            return receipts.get(0).kind().name();
        }
        return counts.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(" + "));
    }
}
