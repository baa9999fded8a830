// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Message;
import io.idembox.MessageId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One message that may enter the ledger.
 *
 * @param nth its place in the batch, which is its order of arrival
 * @param previousId who it is under the strategy that is being replaced; null when nothing is being replaced
 * @param variant the fingerprint of its payload
 * @param place its place in the sequence of its key; null where none is guarded
 */
public record Candidate(
        int nth,
        Message message,
        MessageId id,
        @Nullable MessageId previousId,
        UUID variant,
        @Nullable Long place,
        Job job) {

    Candidate doing(Job newJob) {
        return new Candidate(nth, message, id, previousId, variant, place, newJob);
    }

    Candidate numbered(int newNth) {
        return new Candidate(newNth, message, id, previousId, variant, place, job);
    }

    Candidate doomedBy(Failure failure) {
        return doing(new Job.Doomed(failure, null));
    }

    /** The same, not handled now. One that is doomed for good stays so; a failure that may pass is not one of storing. */
    Candidate stored() {
        boolean hopeless = job instanceof Job.Doomed doomed && doomed.failure().kind() != Failure.Kind.TRANSIENT;
        return hopeless ? this : doing(Job.STORED);
    }

    /** What it is ordered by; null also for a key that cannot be stored, which is parked for that and holds nobody. */
    public @Nullable String key() {
        return message.key()
                .filter(key -> Admission.isStorable(key, Admission.NAME_LIMIT))
                .orElse(null);
    }
}
