// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.spi.Publisher;
import java.util.List;

/** Where messages are brought to. It has two doors to the same room, one for us and one for the peer. Thread-safe. */
interface Target extends AutoCloseable {

    /** As it stands in the table. */
    String name();

    /** What came before counts no more. */
    void begin();

    /** Our door. It stays open when a relay ends. */
    Publisher publisher();

    /** The peer's door. */
    Post post();

    /** What has come since the beginning; messages of a key are in the order of their arrival. */
    List<Arrival> arrivals();

    @Override
    void close();
}
