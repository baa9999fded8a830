// SPDX-License-Identifier: Apache-2.0
/** Output formats: one {@link io.idembox.cli.output.Printer} per format, and the escaping of control characters. */
@NullMarked
package io.idembox.cli.output;

import org.jspecify.annotations.NullMarked;
