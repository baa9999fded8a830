// SPDX-License-Identifier: Apache-2.0
/** What a claim touches, whatever else is in the tables. */
@NullMarked
package io.idembox.benchmarks.claims;

import org.jspecify.annotations.NullMarked;
