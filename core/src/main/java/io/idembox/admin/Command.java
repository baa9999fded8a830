// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/**
 * An operator command on messages, consumers, failure groups or campaigns, including reading a payload, which requires
 * a reason.
 */
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

    /** The past participle, for texts: {@code redriven}. */
    public String done() {
        return done;
    }
}
