// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** A starting point that sets several keys of a consumer at once. What is said beside it counts instead. */
public enum Strategy {
    /** A message is handled before it is acknowledged, and its mark is kept: {@code mode} DIRECT, {@code recording} MARKS. */
    IDS,
    /** A message is stored whole and acknowledged, then workers handle it: {@code mode} STORED, {@code recording} FULL. */
    INBOX,
    /** The messages of a key run in the order of their places: {@code ordering} HOLD. Needs a {@code sequence}. */
    SEQUENCED,
    /**
     * For handlers whose effects cannot be taken back, such as mails and payments: as INBOX, and a replay never repeats them.
     */
    EFFECTS;

    /** The keys that it sets, in a policy that says nothing else and does not bear its name. */
    public ConsumerPolicy keys() {
        ConsumerPolicy start = ConsumerPolicy.defaults();
        return switch (this) {
            case IDS -> start;
            case INBOX -> start.mode(Mode.STORED).recording(Recording.FULL);
            case SEQUENCED -> start.ordering(Ordering.HOLD);
            case EFFECTS -> INBOX.keys().replay(Replay.FORBIDDEN);
        };
    }
}
