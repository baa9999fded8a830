// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.MessageId;
import java.util.Objects;

/**
 * A message as somebody saw it. A command that is given it works only if the message still is as it was.
 *
 * @param arrival its arrival number: of two payloads under one id each has its own
 * @param version its state, counters and time of change, to be compared and nothing else
 */
public record MessageRef(String consumer, MessageId id, long arrival, String version) {

    public MessageRef {
        Objects.requireNonNull(consumer, "consumer");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(version, "version");
    }
}
