// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.util.List;
import java.util.UUID;

/**
 * The right to work on some entries for a while: whoever deletes its row, in the transaction that settles them, did the
 * work.
 *
 * @param token random, so that it never repeats, not even after a failover
 * @param alone whether it is for one entry that may have ended a process before
 * @param arrivals the entries, in the order of arrival
 */
public record Lease(UUID token, boolean alone, List<Long> arrivals) {}
