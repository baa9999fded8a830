// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * What the store needs to know besides the database.
 *
 * @param frontDoorWait how long recording waits for a mark that somebody else is inserting
 * @param node the name this process signs attempts with
 * @param clock a clock for tests; null leaves time to the database
 * @param sessions what the sessions of the DataSource are like
 */
public record StoreSettings(
        Duration frontDoorWait, String node, @Nullable InstantSource clock, Sessions sessions) {

    /** With sessions as most pools have them. */
    public StoreSettings(Duration frontDoorWait, String node, @Nullable InstantSource clock) {
        this(frontDoorWait, node, clock, Sessions.USUAL);
    }

    /** The same with sessions as they were seen at the start. */
    StoreSettings with(Sessions seen) {
        return new StoreSettings(frontDoorWait, node, clock, seen);
    }

    /**
     * What the sessions of the DataSource are like, as seen at the start.
     *
     * @param autoCommits whether a connection that nothing was done with commits every statement
     * @param durability PostgreSQL's synchronous_commit
     */
    public record Sessions(boolean autoCommits, String durability) {

        static final Sessions USUAL = new Sessions(true, "on");
    }

    /** How long ago something was, by the clock that told when it was. */
    Duration since(Instant then) {
        return Duration.between(then, clock == null ? Instant.now() : clock.instant());
    }

    /** How long the row-by-row path waits for each mark. */
    static final Duration ROW_WAIT = Duration.ofMillis(10);

    /** How long a step waits for a lock that its own handler's transaction may hold. */
    static final Duration STEP_WAIT = Duration.ofSeconds(3);
}
