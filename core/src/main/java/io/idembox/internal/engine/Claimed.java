// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;
import io.idembox.MessageId;
import org.jspecify.annotations.Nullable;

/**
 * An entry under a lease, with its message.
 *
 * @param key the number of its key; null where no order is kept
 */
public record Claimed(long arrival, Claim claim, @Nullable Long key, MessageId id, Message message) {}
