// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** A preset for several keys of a consumer. Keys that are set override it. */
public enum Strategy {
    /**
     * A message is handled before it is acknowledged, and its ledger row is kept: {@code mode} DIRECT,
     * {@code recording} IDS.
     */
    IDS,
    /**
     * A message is stored with its body and acknowledged, then handled by workers: {@code mode} STORED,
     * {@code recording} FULL.
     */
    INBOX,
    /**
     * Messages of a key are handled in the order of their sequence numbers: {@code ordering} HOLD. Needs a
     * {@code sequence}.
     */
    SEQUENCED,
    /**
     * For handlers whose effects cannot be undone, such as mails and payments: as INBOX, and a replay never repeats
     * them.
     */
    EFFECTS;

    /** Returns the defaults with the keys of this strategy applied; the {@code strategy} key itself is not set. */
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
