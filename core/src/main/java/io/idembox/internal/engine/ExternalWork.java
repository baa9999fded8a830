// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Payload;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Work on stored messages that is done outside any transaction, such as publishing them. Thread-safe. */
public interface ExternalWork {

    /** How many messages behind the first one of a key may be worked on together with it. */
    default int followers() {
        return 0;
    }

    /** Whether a second time would be another effect: then a claim must not be forgotten, or nobody would be in doubt. */
    default boolean isIrrevocable() {
        return false;
    }

    /**
     * Works on messages, in the order of their keys; nobody else has them meanwhile, as far as clocks can tell. What became of
     * a message is told before the next one of its key is begun, and is settled afterwards, even if this throws. What is not
     * told is given back.
     *
     * @throws InterruptedException when the worker is wanted back
     */
    void run(List<ClaimedMessage> members, LeaseRenewal.Shift shift, Consumer<Done> told) throws InterruptedException;

    /**
     * What became of a message.
     *
     * @param result what is kept with it, of one that is done
     * @param outcome how it goes on, of one that is not; null when it is done
     */
    record Done(
            ClaimedMessage member,
            @Nullable Payload result,
            @Nullable FailureOutcome outcome,
            Instant startedAt) {

        public static Done done(ClaimedMessage member, @Nullable Payload result, Instant startedAt) {
            return new Done(member, result, null, startedAt);
        }

        public static Done failed(ClaimedMessage member, FailureOutcome outcome, Instant startedAt) {
            return new Done(member, null, outcome, startedAt);
        }
    }
}
