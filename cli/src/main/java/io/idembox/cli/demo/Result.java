// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of a run.
 *
 * @param last the last sample, taken when the consumers were stopped
 * @param parked different orders parked by billing, shipping or both
 * @param poison number of orders that always fail
 * @param unexpectedExits processes that ended without being killed: none should
 */
record Result(List<ConsumerBalance> consumerBalances, Sample last, long parked, int poison, int unexpectedExits) {

    ConsumerBalance of(Role role) {
        return consumerBalances.stream()
                .filter(consumerBalance -> consumerBalance.role() == role)
                .findFirst()
                .orElseThrow();
    }

    /** Whether the consumers with an inbox lost, doubled and reordered nothing. */
    boolean isClean() {
        return Role.IDEMBOX.stream().allMatch(role -> of(role).isClean());
    }

    long lost() {
        return Role.IDEMBOX.stream().mapToLong(role -> of(role).lost()).sum();
    }

    long doubled() {
        return Role.IDEMBOX.stream().mapToLong(role -> of(role).doubled()).sum();
    }

    long reordered() {
        return Role.IDEMBOX.stream().mapToLong(role -> of(role).reordered()).sum();
    }

    /**
     * Receipts published twice: a relay was killed or frozen after Kafka had accepted one and before that was recorded.
     */
    long publishedAgain() {
        return Math.max(0, last.outbox().published() - of(Role.BILLING).effects());
    }

    /** Late commits that were refused. */
    long fenced() {
        return Role.IDEMBOX.stream().mapToLong(role -> last.of(role).fenced()).sum();
    }

    String line() {
        ConsumerBalance chain = of(Role.RECEIPTS);
        ConsumerBalance naive = of(Role.NAIVE);
        return "lost=" + lost() + " doubled=" + doubled() + " reordered=" + reordered() + " chain-lost=" + chain.lost()
                + " chain-doubled=" + chain.doubled() + " chain-reordered=" + chain.reordered() + " kills="
                + last.kills() + " freezes=" + last.freezes() + " parked=" + parked + " naive-doubled="
                + naive.doubled() + " naive-lost=" + naive.lost();
    }

    /** For {@code --json}. */
    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("clean", isClean());
        map.put("seconds", last.since().toSeconds());
        map.put("sent", last.sent());
        map.put("records", last.records());
        map.put("poison", poison);
        map.put("lost", lost());
        map.put("doubled", doubled());
        map.put("reordered", reordered());
        map.put("parked", parked);
        map.put("kills", last.kills());
        map.put("freezes", last.freezes());
        map.put("endedByThemselves", unexpectedExits);
        map.put("receiptsPublished", last.outbox().published());
        map.put("receiptsPublishedAgain", publishedAgain());
        Map<String, Object> consumers = new LinkedHashMap<>();
        for (ConsumerBalance consumerBalance : consumerBalances) {
            consumers.put(consumerBalance.role().consumer(), toMap(consumerBalance));
        }
        map.put("consumers", consumers);
        return map;
    }

    private Map<String, Object> toMap(ConsumerBalance consumerBalance) {
        Sample.ConsumerState consumerState = last.of(consumerBalance.role());
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("effects", consumerBalance.effects());
        map.put("lost", consumerBalance.lost());
        map.put("doubled", consumerBalance.doubled());
        map.put("reordered", consumerBalance.reordered());
        if (consumerBalance.role().isIdembox()) {
            map.put("parked", consumerBalance.parked());
            map.put("duplicatesSkipped", consumerState.duplicates());
            map.put("fenced", consumerState.fenced());
        } else {
            map.put("doubledBySender", consumerBalance.doubledBySender());
            map.put("doubledByKills", consumerBalance.doubled() - consumerBalance.doubledBySender());
        }
        map.put("kills", last.faults(consumerBalance.role()).kills());
        map.put("freezes", last.faults(consumerBalance.role()).freezes());
        return map;
    }
}
