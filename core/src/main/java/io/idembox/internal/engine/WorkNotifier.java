// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/**
 * How nodes tell each other that something was stored. A hint and no more: whoever does not hear of it finds the work by
 * looking. Thread-safe.
 */
public interface WorkNotifier extends AutoCloseable {

    /** Tells every other node that there is something to do for these consumers, by number. */
    void tell(Collection<Integer> consumers);

    /** Begins to listen. What was told before is not heard. */
    Line listen();

    @Override
    void close();

    /** A session that hears what others tell. For one thread. */
    interface Line extends AutoCloseable {

        /** The consumers that others told of, as soon as there are some; none when the time is over. */
        Set<Integer> await(Duration atMost);

        @Override
        void close();
    }
}
