// SPDX-License-Identifier: Apache-2.0
/**
 * What an inbox promises, as objects that look at what happened: put a {@link io.idembox.testkit.guarantee.History}
 * together and check {@link io.idembox.testkit.guarantee.NothingLost}, {@link io.idembox.testkit.guarantee.HandledOnce}
 * and {@link io.idembox.testkit.guarantee.InOrderPerKey} on it.
 */
@NullMarked
package io.idembox.testkit.guarantee;

import org.jspecify.annotations.NullMarked;
