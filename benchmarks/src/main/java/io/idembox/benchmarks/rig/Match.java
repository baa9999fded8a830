// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

/** Two slices that ran one immediately after the other: only these are compared. */
public record Match(Slice base, Slice subject) {}
