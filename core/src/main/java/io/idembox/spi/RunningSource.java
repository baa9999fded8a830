// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

/** A source that is running for one consumer. Thread-safe. */
public interface RunningSource extends FlowControl, AutoCloseable {

    /**
     * Queries the broker for the messages that have not been delivered yet.
     *
     * @throws RuntimeException when the broker does not answer; it is queried again at the next check
     */
    Backlog backlog();

    /**
     * Stops delivering, waits a bounded time for deliveries in flight, and commits the read positions to the broker.
     */
    @Override
    void close();
}
