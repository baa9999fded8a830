// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.provider;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A charge that the provider made.
 *
 * @param id the provider's own number, such as {@code ch_1}
 * @param key the idempotency key of the request; null when it had none
 * @param at by the provider's clock
 */
public record Charge(String id, @Nullable String key, String account, long cents, Instant at) {}
