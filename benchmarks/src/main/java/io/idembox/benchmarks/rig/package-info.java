// SPDX-License-Identifier: Apache-2.0
/**
 * What every suite is measured with: paired slices, counted costs, checked effects, goals and the report.
 *
 * <p>The rules: a slice is compared only with the slice of its base that ran immediately before it; what can be counted
 * (round trips, WAL bytes, rows) counts more than seconds; after every slice the effects are compared with the answers,
 * and a difference ends the run.
 */
@NullMarked
package io.idembox.benchmarks.rig;

import org.jspecify.annotations.NullMarked;
