// SPDX-License-Identifier: Apache-2.0
/** Data on standard output: one {@link io.idembox.cli.output.Printer} per form, and what makes strange characters harmless. */
@NullMarked
package io.idembox.cli.output;

import org.jspecify.annotations.NullMarked;
