// SPDX-License-Identifier: Apache-2.0
/** From a filled topic to the effects. */
@NullMarked
package io.idembox.benchmarks.kafka;

import org.jspecify.annotations.NullMarked;
