// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.EventType;
import io.idembox.Headers;
import io.idembox.Payload;

/**
 * What a message brought, for somebody who has said why.
 *
 * @param revision 0 as it came; more where it was edited
 */
public record StoredPayload(int revision, EventType type, Headers headers, Payload payload) {}
