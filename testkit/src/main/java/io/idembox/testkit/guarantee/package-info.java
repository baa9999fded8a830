// SPDX-License-Identifier: Apache-2.0
/**
 * The guarantees of an inbox as checks: build a {@link io.idembox.testkit.guarantee.History} of a test and check {@link
 * io.idembox.testkit.guarantee.NothingLost}, {@link io.idembox.testkit.guarantee.HandledOnce} and {@link
 * io.idembox.testkit.guarantee.InOrderPerKey} on it.
 */
@NullMarked
package io.idembox.testkit.guarantee;

import org.jspecify.annotations.NullMarked;
