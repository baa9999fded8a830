// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.EventType;
import io.idembox.Headers;
import io.idembox.Payload;

/**
 * The stored payload of a message. Reading it requires a reason and is audited.
 *
 * @param revision 0 as received; higher after an edit
 */
public record StoredPayload(int revision, EventType type, Headers headers, Payload payload) {}
