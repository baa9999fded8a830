// SPDX-License-Identifier: Apache-2.0
/**
 * A payment provider for tests: a real HTTP server that honours idempotency keys or does not, and that loses, delays and
 * refuses as real ones do ({@link io.idembox.testkit.provider.PaymentProvider}).
 */
@NullMarked
package io.idembox.testkit.provider;

import org.jspecify.annotations.NullMarked;
