// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.MessageId;
import java.util.Objects;

/**
 * A message at a version. A command changes the message only if it still has this version.
 *
 * @param arrival the arrival number; two payloads under one id have different ones
 * @param version an opaque value of state, counters and time of change, only to be compared
 */
public record MessageRef(String consumer, MessageId id, long arrival, String version) {

    public MessageRef {
        Objects.requireNonNull(consumer, "consumer");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(version, "version");
    }
}
