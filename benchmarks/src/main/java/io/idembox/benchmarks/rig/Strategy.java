// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

/** One way to consume a stream of messages. The workers of a slice share it, so it has to be thread-safe. */
public interface Strategy {

    /** As it stands in the table. */
    String name();

    /** How many messages it takes at once; so many are lost in an error. */
    int batchSize();

    /** False for what cannot tell duplicates: it gets a stream without redeliveries. */
    default boolean takesRedeliveries() {
        return true;
    }

    /** A query for the number of effects in the database: it has to grow by one for every completed message. */
    String effects();

    /**
     * What has to be there before the clock starts.
     *
     * @param stock messages that count as delivered; all keys, no redeliveries
     */
    default void prepare(Feed stock) throws Exception {}

    /** Whether it works on what was prepared until nothing is left, and not for a given time. */
    default boolean worksOff() {
        return false;
    }

    /**
     * One step of one worker; what it says is compared with what was delivered and with the effects. Who works off says
     * {@link Tally#NOTHING} when nothing is left.
     */
    Tally consume(Feed feed) throws Exception;

    /** The last step, when all workers have stopped; still inside the slice. */
    default Tally finish() throws Exception {
        return Tally.NOTHING;
    }

    /**
     * When the clock has stopped: ends what was started for the slice, and looks closer than a query can.
     *
     * @throws WrongEffectsException when something did not happen as it should
     */
    default void inspect() throws Exception {}

    /** A query for the number of rows that must not be there after a slice. */
    default String leftOver() {
        return "select 0";
    }
}
