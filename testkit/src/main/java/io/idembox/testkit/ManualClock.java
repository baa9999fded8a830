// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;

/** A clock that only a test advances: tests step through time instead of sleeping. Thread-safe. */
public final class ManualClock implements InstantSource {

    private Instant now;

    private ManualClock(Instant start) {
        this.now = Objects.requireNonNull(start, "start");
    }

    /** A clock that shows noon of 1 January 2026, UTC: the same in every run. */
    public static ManualClock create() {
        return at(Instant.parse("2026-01-01T12:00:00Z"));
    }

    public static ManualClock at(Instant start) {
        return new ManualClock(start);
    }

    @Override
    public synchronized Instant instant() {
        return now;
    }

    /**
     * Advances the clock and returns the new time; a negative step moves it back, as clocks in production sometimes do.
     */
    public synchronized Instant advance(Duration step) {
        now = now.plus(step);
        return now;
    }

    public synchronized void set(Instant instant) {
        now = Objects.requireNonNull(instant, "instant");
    }

    @Override
    public String toString() {
        return instant().toString();
    }
}
