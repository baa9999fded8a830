// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

/** A source at work for one consumer. Thread-safe. */
public interface RunningSource extends FlowControl, AutoCloseable {

    /**
     * How much of the broker has not been brought yet, as the broker says it now.
     *
     * @throws RuntimeException when the broker does not answer; it is asked again at the next look
     */
    Backlog backlog();

    /** Brings nothing more, lets what is in flight end within bounds, and tells the broker how far it came. */
    @Override
    void close();
}
