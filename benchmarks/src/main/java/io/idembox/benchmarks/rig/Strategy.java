// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import io.idembox.Message;
import java.util.List;

/** One way to consume a stream of messages. The workers of a slice share it, so it has to be thread-safe. */
public interface Strategy {

    /** As it stands in the table. */
    String name();

    /** How many messages it takes at once. */
    int batchSize();

    /** False for what cannot tell duplicates: it gets a stream without redeliveries. */
    default boolean takesRedeliveries() {
        return true;
    }

    /** A query for the number of effects in the database: it has to grow by one for every completed message. */
    String effects();

    /** Consumes a batch; what it says is compared with what was delivered and with the effects. */
    Tally consume(List<Message> batch) throws Exception;
}
