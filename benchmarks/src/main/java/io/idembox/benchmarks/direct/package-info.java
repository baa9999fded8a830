// SPDX-License-Identifier: Apache-2.0
/** Direct mode against a hand-written consumer, and against the raw speed of the database. */
@NullMarked
package io.idembox.benchmarks.direct;

import org.jspecify.annotations.NullMarked;
