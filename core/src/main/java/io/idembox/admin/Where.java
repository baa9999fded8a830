// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.time.Instant;
import java.util.Optional;

/** A filter as people write it: {@code consumer=email and error~Timeout and received>-24h}. Immutable. */
public final class Where {

    private Where() {}

    /**
     * @param now what times such as {@code -24h} count from
     * @throws IllegalArgumentException when it cannot be meant; it says where and what there is
     */
    public static Where parse(String text, Instant now) {
        throw new UnsupportedOperationException("later: " + text + now);
    }

    /** The consumer that is named; empty for all of them. */
    public Optional<String> consumer() {
        return Optional.empty();
    }

    /** The same, for one consumer. */
    public Filter filter(String consumer) {
        return Filter.of(consumer);
    }
}
