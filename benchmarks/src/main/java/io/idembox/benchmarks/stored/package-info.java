// SPDX-License-Identifier: Apache-2.0
/** Stored mode against a consumer that is written by hand. */
@NullMarked
package io.idembox.benchmarks.stored;

import org.jspecify.annotations.NullMarked;
