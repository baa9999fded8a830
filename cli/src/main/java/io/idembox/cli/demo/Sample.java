// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.time.Duration;
import java.util.Map;

/**
 * The state of a run at one moment.
 *
 * @param sent different orders in the topic
 * @param records records in the topic, duplicates included
 * @param outbox the state between the two services
 */
record Sample(
        Duration since,
        int sent,
        int records,
        Outbox outbox,
        Map<Role, FaultCounts> faultCounts,
        Map<Role, ConsumerState> consumerState) {

    /**
     * The state between the two services.
     *
     * @param waiting receipts in the outbox that are not recorded as published
     * @param published records in the topic of receipts, repeated ones included
     */
    record Outbox(long waiting, long published) {}

    /**
     * The state of one consumer.
     *
     * @param orders orders that have an effect
     * @param perSecond growth of {@code orders} per second since the last sample
     * @param lag records whose offsets are not committed
     */
    record ConsumerState(
            long orders, long perSecond, long duplicates, long failed, long fenced, long parked, long lag) {}

    ConsumerState of(Role role) {
        return consumerState.getOrDefault(role, new ConsumerState(0, 0, 0, 0, 0, 0, 0));
    }

    FaultCounts faults(Role role) {
        return faultCounts.getOrDefault(role, FaultCounts.NONE);
    }

    /** Kills of Idembox consumers. */
    int kills() {
        return Role.IDEMBOX.stream().mapToInt(role -> faults(role).kills()).sum();
    }

    /** Freezes of Idembox consumers. */
    int freezes() {
        return Role.IDEMBOX.stream().mapToInt(role -> faults(role).freezes()).sum();
    }

    /**
     * Whether every consumer has read all records, every order has its effect or is parked, and the outbox is empty.
     */
    boolean isComplete() {
        return consumerState.size() == Role.values().length
                && consumerState.values().stream().allMatch(each -> each.lag() == 0)
                && outbox.waiting() == 0
                && Role.IDEMBOX.stream().allMatch(role -> of(role).orders() + parked(role) >= sent);
    }

    /** Orders parked by billing have no receipt. */
    private long parked(Role role) {
        return of(role).parked() + (role == Role.RECEIPTS ? of(Role.BILLING).parked() : 0);
    }
}
