// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.time.Duration;
import java.util.Map;

/**
 * How it stands.
 *
 * @param sent different orders in the topic
 * @param records records in the topic, duplicates and all
 */
record Sample(
        Duration since,
        int sent,
        int records,
        int kills,
        int freezes,
        int naiveKills,
        int naiveFreezes,
        Map<Role, Of> of) {

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

    /** Whether everything that was sent has been read by everybody, and has its effect or is parked. */
    boolean isWorkedOff() {
        return of.size() == Role.values().length
                && of.values().stream().allMatch(each -> each.lag() == 0)
                && Role.IDEMBOX.stream().allMatch(role -> of(role).orders() + of(role).parked() >= sent);
    }
}
