// SPDX-License-Identifier: Apache-2.0
/** The command line. {@link io.idembox.cli.Main} is the entry point; each command group is a class of its own. */
@NullMarked
package io.idembox.cli;

import org.jspecify.annotations.NullMarked;
