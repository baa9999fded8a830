// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

/** One guarantee of the inbox, to be checked on a history. Implementations are stateless and thread-safe. */
@FunctionalInterface
public interface Guarantee {

    /**
     * Returns when the history satisfies the guarantee.
     *
     * @throws AssertionError when it does not; names the messages concerned and the likely causes
     */
    void check(History history);

    /** Checks both guarantees, this one first. */
    default Guarantee and(Guarantee other) {
        return history -> {
            check(history);
            other.check(history);
        };
    }
}
