// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/** What a command did with one message: it, or nothing and why. */
public enum CommandResult {
    DONE("done"),
    /** Its state, its counters or its time of change are not those of the preview. */
    CHANGED("it changed since the preview; look again"),
    /** It is under a lease, or a transaction holds it. */
    IN_PROGRESS("it is being worked on right now; try again when that is over, as a new operation"),
    GONE("it is finished or forgotten; nothing is left to do"),
    NOT_APPLICABLE("the command is not for messages in its state"),
    /** The broker has the only copy. */
    NO_BODY("its payload is not kept here, only its redelivery brings it; it may be discarded"),
    KEY_BUSY(
            "another message of its key is being worked on in a transaction; try again when that is over, as a new operation"),
    /** The broker delivers it again, and the redelivery runs the broker's payload. */
    REDELIVERED(
            "its broker delivers it again with the original payload, so an edit would have no effect; park it first, then edit and redrive it"),
    /** It would be settled without being run. */
    PASSED(
            "the sequence of its key is past its place, so it would not be run; do by hand what it asks for, then discard it"),
    /** Whether others may pass it depends on the policy of its consumer. */
    ORDER_UNKNOWN("its consumer keeps order, but this inbox was not given the policy of the consumer; give it to the"
            + " builder with consumer(name, policy)");

    private final String description;

    CommandResult(String words) {
        this.description = words;
    }

    /** For people. */
    public String description() {
        return description;
    }
}
