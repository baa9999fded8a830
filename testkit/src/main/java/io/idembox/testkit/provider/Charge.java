// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.provider;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Money that was taken, and stays taken.
 *
 * @param id the provider's own number, such as {@code ch_1}
 * @param key the idempotency key it came with; null when it came without one
 * @param at by the provider's clock
 */
public record Charge(String id, @Nullable String key, String account, long cents, Instant at) {}
