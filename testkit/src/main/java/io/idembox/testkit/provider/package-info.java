// SPDX-License-Identifier: Apache-2.0
/**
 * A payment provider for tests: a real HTTP server that honours or ignores idempotency keys, and loses, delays and
 * refuses requests ({@link io.idembox.testkit.provider.PaymentProvider}).
 */
@NullMarked
package io.idembox.testkit.provider;

import org.jspecify.annotations.NullMarked;
