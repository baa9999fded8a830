// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a run ended.
 *
 * @param last how it stood when the consumers were stopped
 * @param parked different orders that are set aside, by billing, shipping or both
 * @param poison how many orders can never work
 * @param endedByThemselves processes that ended without being killed: none should
 */
record Result(List<Ledger> ledgers, Sample last, long parked, int poison, int endedByThemselves) {

    Ledger of(Role role) {
        return ledgers.stream()
                .filter(ledger -> ledger.role() == role)
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

    /** Receipts that are in their topic once more: a relay was struck after Kafka had one and before that was marked. */
    long publishedAgain() {
        return Math.max(0, last.outbox().published() - of(Role.BILLING).effects());
    }

    /** Late commits that were refused. */
    long fenced() {
        return Role.IDEMBOX.stream().mapToLong(role -> last.of(role).fenced()).sum();
    }

    String line() {
        Ledger chain = of(Role.RECEIPTS);
        Ledger naive = of(Role.NAIVE);
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
        map.put("endedByThemselves", endedByThemselves);
        map.put("receiptsPublished", last.outbox().published());
        map.put("receiptsPublishedAgain", publishedAgain());
        Map<String, Object> consumers = new LinkedHashMap<>();
        for (Ledger ledger : ledgers) {
            consumers.put(ledger.role().consumer(), toMap(ledger));
        }
        map.put("consumers", consumers);
        return map;
    }

    private Map<String, Object> toMap(Ledger ledger) {
        Sample.Of of = last.of(ledger.role());
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("effects", ledger.effects());
        map.put("lost", ledger.lost());
        map.put("doubled", ledger.doubled());
        map.put("reordered", ledger.reordered());
        if (ledger.role().isIdembox()) {
            map.put("parked", ledger.parked());
            map.put("duplicatesSkipped", of.duplicates());
            map.put("fenced", of.fenced());
        } else {
            map.put("doubledBySender", ledger.doubledBySender());
            map.put("doubledByKills", ledger.doubled() - ledger.doubledBySender());
        }
        map.put("kills", last.strikes(ledger.role()).kills());
        map.put("freezes", last.strikes(ledger.role()).freezes());
        return map;
    }
}
