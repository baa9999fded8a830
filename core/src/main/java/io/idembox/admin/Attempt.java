// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.Failure;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt that did not end well.
 *
 * @param number counted over redeliveries, crashes and redrives; it never repeats
 * @param node who tried
 * @param outcome where it left the message
 * @param traceId of the message's {@code traceparent} header; null without one
 */
public record Attempt(
        int number,
        String node,
        Instant startedAt,
        Instant endedAt,
        Status outcome,
        Failure failure,
        @Nullable String traceId) {}
