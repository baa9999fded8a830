// SPDX-License-Identifier: Apache-2.0
/** The business every suite is about, and the consumer that is written by hand. */
@NullMarked
package io.idembox.benchmarks.accounts;

import org.jspecify.annotations.NullMarked;
