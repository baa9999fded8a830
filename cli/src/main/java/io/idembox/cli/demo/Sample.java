// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.time.Duration;
import java.util.Map;

/**
 * How it stands.
 *
 * @param sent different orders in the topic
 * @param records records in the topic, duplicates and all
 * @param outbox how it stands between the two services
 */
record Sample(
        Duration since, int sent, int records, Outbox outbox, Map<Role, FaultCounts> faultCounts, Map<Role, Of> of) {

    /**
     * How it stands between the two services.
     *
     * @param waiting receipts in the outbox that are not marked as published
     * @param published records in the topic of receipts, those that were published twice and all
     */
    record Outbox(long waiting, long published) {}

    /**
     * How one consumer stands.
     *
     * @param orders orders that have an effect
     * @param perSecond how many more they were, per second, since the last look
     * @param lag records that Kafka was not told about
     */
    record Of(long orders, long perSecond, long duplicates, long failed, long fenced, long parked, long lag) {}

    Of of(Role role) {
        return of.getOrDefault(role, new Of(0, 0, 0, 0, 0, 0, 0));
    }

    FaultCounts strikes(Role role) {
        return faultCounts.getOrDefault(role, FaultCounts.NONE);
    }

    /** Of Idembox consumers. */
    int kills() {
        return Role.IDEMBOX.stream().mapToInt(role -> strikes(role).kills()).sum();
    }

    /** Of Idembox consumers. */
    int freezes() {
        return Role.IDEMBOX.stream().mapToInt(role -> strikes(role).freezes()).sum();
    }

    /** Whether everything that was sent has been read by everybody, and has its effect or is parked; nothing is on its way. */
    boolean isWorkedOff() {
        return of.size() == Role.values().length
                && of.values().stream().allMatch(each -> each.lag() == 0)
                && outbox.waiting() == 0
                && Role.IDEMBOX.stream().allMatch(role -> of(role).orders() + setAside(role) >= sent);
    }

    /** Of what billing sets aside nobody hears at the end of the chain. */
    private long setAside(Role role) {
        return of(role).parked() + (role == Role.RECEIPTS ? of(Role.BILLING).parked() : 0);
    }
}
