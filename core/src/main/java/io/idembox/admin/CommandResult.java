// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/** The result of a command for one message: done, or left unchanged and why. */
public enum CommandResult {
    DONE("done"),
    /** Its state, counters or time of change differ from the preview. */
    CHANGED("it has changed since the preview; list it again and retry as a new operation"),
    /** It is under a lease, or another transaction has locked it. */
    IN_PROGRESS("it is in progress; retry as a new operation when it is finished"),
    GONE("it is completed or was purged; nothing to do"),
    NOT_APPLICABLE("the command does not apply to messages in this state"),
    /** The broker has the only copy of the payload. */
    NO_BODY("its payload is not stored here, so only a redelivery by its broker can run it; it can be discarded"),
    KEY_BUSY("another message of its key is in progress; retry as a new operation when that one is finished"),
    /** The broker will redeliver it, and the redelivery runs the payload of the broker. */
    REDELIVERED("its broker will redeliver the original payload, so an edit would have no effect; park it, then edit"
            + " and redrive it"),
    /** A redrive would settle it without running it. */
    PASSED("its sequence number was already passed, so a redrive would skip it; apply its effect manually, then"
            + " discard it"),
    /** Whether later messages of its key may pass it depends on the policy of its consumer. */
    ORDER_UNKNOWN("its consumer is ordered, but this inbox does not have the consumer's policy; configure it with"
            + " consumer(name, policy) on the builder");

    private final String description;

    CommandResult(String words) {
        this.description = words;
    }

    /** The explanation shown to operators. */
    public String description() {
        return description;
    }
}
