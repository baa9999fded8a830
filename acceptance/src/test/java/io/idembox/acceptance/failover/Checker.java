// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Compares the journal of one consumer with the topic that it read, message by message. Pure: it sees lists only.
 *
 * <p>Every message of the topic has exactly one effect. Order is that of the first copies of a key. Where the database forgot
 * commits ({@code breaksAllowed}), the documented order is weaker: the effects of a key follow the topic, but may go back once
 * per failover, to what is read again. A second copy that the producer sent is then as good as the first: the database may have
 * forgotten the first one.
 */
final class Checker {

    private final String consumer;
    private final int breaksAllowed;
    private final Findings findings;

    /** @param breaksAllowed how often the effects of one key may go back; 0 means never */
    Checker(String consumer, int breaksAllowed, Findings findings) {
        this.consumer = consumer;
        this.breaksAllowed = breaksAllowed;
        this.findings = findings;
    }

    /**
     * What one consumer did.
     *
     * @param effects in the order in which they were written
     * @param unfinished messages that the inbox has and that are not done
     * @param passed whether the group has committed the offset of the record: it will not be delivered again
     */
    record Journal(List<Sent.Name> effects, Set<Sent.Name> unfinished, Predicate<Sent> passed) {}

    /** @param topic in the order of each partition */
    void check(List<Sent> topic, Journal journal) {
        Map<Sent.Name, List<Sent>> copies = new LinkedHashMap<>();
        topic.forEach(sent ->
                copies.computeIfAbsent(sent.name(), none -> new ArrayList<>()).add(sent));
        Map<Sent.Name, Integer> effects = new HashMap<>();
        journal.effects().forEach(name -> effects.merge(name, 1, Integer::sum));
        copies.forEach((name, sent) -> checkCount(sent.get(0), effects.getOrDefault(name, 0), journal));
        effects.keySet().forEach(name -> {
            if (!copies.containsKey(name)) {
                findings.gone++;
            }
        });
        Map<String, List<List<Sent>>> byKey = new LinkedHashMap<>();
        journal.effects().stream().distinct().filter(copies::containsKey).forEach(name -> {
            List<Sent> sent = copies.get(name);
            byKey.computeIfAbsent(sent.get(0).key(), none -> new ArrayList<>()).add(sent);
        });
        byKey.forEach(this::checkOrder);
        findings.effects += journal.effects().size();
    }

    private void checkCount(Sent first, int count, Journal journal) {
        String what = consumer + " " + first;
        if (count > 1) {
            findings.doubled(what + " has " + count + " effects");
        } else if (journal.unfinished().contains(first.name())) {
            findings.stuck(what + " is in the inbox and not done, with " + count + " effects");
        } else if (count == 0 && journal.passed().test(first)) {
            findings.lost(what + " has no effect, and its offset is committed");
        } else if (count == 0) {
            findings.stuck(what + " was never taken from Kafka");
        }
    }

    private void checkOrder(String key, List<List<Sent>> effects) {
        long highest = -1;
        long last = -1;
        int breaks = 0;
        for (List<Sent> copies : effects) {
            long first = copies.get(0).offset();
            if (first < highest) {
                findings.late++;
                if (breaksAllowed == 0) {
                    findings.reordered(consumer + " " + copies.get(0) + " was done after one that was sent later");
                }
            }
            highest = Math.max(highest, first);
            long before = last;
            // A copy behind the previous effect explains this one without going back.
            last = copies.stream()
                    .mapToLong(Sent::offset)
                    .filter(offset -> offset > before)
                    .min()
                    .orElse(first);
            if (last < before) {
                breaks++;
            }
        }
        if (breaksAllowed > 0 && breaks > breaksAllowed) {
            findings.reordered(
                    consumer + " " + key + ": effects went back " + breaks + " times, " + breaksAllowed + " allowed");
        }
    }
}
