// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.Failure;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt to handle a message.
 *
 * @param number unique per message; redeliveries, crashes and redrives count too
 * @param node the node that ran the attempt
 * @param outcome the status of the message after the attempt
 * @param traceId from the message's {@code traceparent} header; null without one
 */
public record Attempt(
        int number,
        String node,
        Instant startedAt,
        Instant endedAt,
        Status outcome,
        Failure failure,
        @Nullable String traceId) {}
