// SPDX-License-Identifier: Apache-2.0
/** Where a benchmark begins: the command line and the suites it knows. */
@NullMarked
package io.idembox.benchmarks;

import org.jspecify.annotations.NullMarked;
