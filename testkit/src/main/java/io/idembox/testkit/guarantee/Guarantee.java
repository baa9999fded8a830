// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

/** One promise of the inbox that a history either keeps or breaks. Implementations are stateless and thread-safe. */
@FunctionalInterface
public interface Guarantee {

    /**
     * Returns when the history keeps the promise.
     *
     * @throws AssertionError when it does not; names the messages concerned and says what to look at
     */
    void check(History history);

    /** Both promises, this one first. */
    default Guarantee and(Guarantee other) {
        return history -> {
            check(history);
            other.check(history);
        };
    }
}
