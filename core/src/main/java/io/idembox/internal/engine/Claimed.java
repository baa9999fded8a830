// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;
import io.idembox.MessageId;

/** An entry under a lease, with its message. */
public record Claimed(long arrival, Claim claim, MessageId id, Message message) {}
