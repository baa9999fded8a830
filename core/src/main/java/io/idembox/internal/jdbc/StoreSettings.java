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
 * @param sessions the properties of the DataSource's sessions
 */
public record StoreSettings(
        Duration frontDoorWait, String node, @Nullable InstantSource clock, Sessions sessions) {

    /** With the usual properties of sessions. */
    public StoreSettings(Duration frontDoorWait, String node, @Nullable InstantSource clock) {
        this(frontDoorWait, node, clock, Sessions.USUAL);
    }

    /** The same with the properties of sessions at startup. */
    StoreSettings with(Sessions seen) {
        return new StoreSettings(frontDoorWait, node, clock, seen);
    }

    /**
     * The properties of the DataSource's sessions at startup.
     *
     * @param autoCommits whether a fresh connection is in auto-commit mode
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

    /**
     * How long settling waits for keys at most. Shorter than PostgreSQL's usual deadlock_timeout of one second: a worker that holds
     * rows of the application gives up the wait before a cycle is reported as a deadlock.
     */
    private static final Duration KEY_WAIT = Duration.ofMillis(250);

    /** How long settling waits for keys. */
    Duration keyWait() {
        return frontDoorWait.compareTo(KEY_WAIT) < 0 ? frontDoorWait : KEY_WAIT;
    }

    /** How long a step waits for a lock that its own handler's transaction may hold. */
    static final Duration STEP_WAIT = Duration.ofSeconds(3);
}
