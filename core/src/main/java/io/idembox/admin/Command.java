// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/** What people may do to messages, to consumers, to groups of failures and to campaigns; and what they may see only with a reason. */
public enum Command {
    REDRIVE("redriven"),
    PARK("parked"),
    DISCARD("discarded"),
    RESTORE("restored"),
    EDIT("edited"),
    PAUSE("paused"),
    RESUME("resumed"),
    START("started"),
    CANCEL("cancelled"),
    NOTE("noted"),
    READ("read"),
    REPLAY("replayed");

    private final String done;

    Command(String done) {
        this.done = done;
    }

    /** What a message is afterwards, in words. */
    public String done() {
        return done;
    }
}
