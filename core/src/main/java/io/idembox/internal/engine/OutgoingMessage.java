// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;
import io.idembox.MessageId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way out, before it is written.
 *
 * @param destination the consumer inside that keeps it until it is done
 * @param variant the fingerprint of its payload
 * @param cause the arrival of the message whose handler sent it; null when no handler did
 */
record OutgoingMessage(
        RegisteredConsumer destination,
        Message message,
        MessageId id,
        UUID variant,
        @Nullable Long cause) {

    IncomingMessage candidate(int nth) {
        return new IncomingMessage(nth, message, id, null, variant, null, HandlerTask.STORED);
    }
}
