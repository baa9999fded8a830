// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Message;
import io.idembox.MessageId;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One message that may enter the ledger.
 *
 * @param nth its place in the batch, which is its order of arrival
 * @param otherId while an identity strategy is being replaced, its id under the new one; null otherwise
 * @param variant the fingerprint of its payload
 * @param sequenceNumber its place in the sequence of its key; null where none is guarded
 */
public record IncomingMessage(
        int nth,
        Message message,
        MessageId id,
        @Nullable MessageId otherId,
        UUID variant,
        @Nullable Long sequenceNumber,
        HandlerTask task) {

    /** The sources of its one or two ids; none for an entry whose source or body is missing, because its id only stands for it. */
    public Stream<String> sources() {
        if (task instanceof HandlerTask.Doomed doomed && MissingRow.is(doomed.parkReason())) {
            return Stream.empty();
        }
        return otherId == null ? Stream.of(id.source()) : Stream.of(id.source(), otherId.source());
    }

    IncomingMessage doing(HandlerTask newJob) {
        return new IncomingMessage(nth, message, id, otherId, variant, sequenceNumber, newJob);
    }

    IncomingMessage numbered(int newNth) {
        return new IncomingMessage(newNth, message, id, otherId, variant, sequenceNumber, task);
    }

    IncomingMessage doomedBy(Failure failure) {
        return doing(new HandlerTask.Doomed(failure, null, task.isRegistered()));
    }

    /** The same, not handled now. One that is doomed for good stays so; a failure that may pass is not one of storing. */
    IncomingMessage stored() {
        boolean hopeless =
                task instanceof HandlerTask.Doomed doomed && doomed.failure().kind() != Failure.Kind.TRANSIENT;
        return hopeless ? this : doing(HandlerTask.STORED);
    }

    /** What it is ordered by; null also for a key that cannot be stored, which is parked for that and holds nobody. */
    public @Nullable String key() {
        return message.key()
                .filter(key -> UnstorableText.isStorable(key, Admission.NAME_LIMIT))
                .orElse(null);
    }
}
