// SPDX-License-Identifier: Apache-2.0
/** Consumers that keep the messages of a key in order, against the same consumers without order. */
@NullMarked
package io.idembox.benchmarks.ordered;

import org.jspecify.annotations.NullMarked;
