// SPDX-License-Identifier: Apache-2.0
/** The command line: {@link io.idembox.cli.Main} puts the commands together, each is a class of its own. */
@NullMarked
package io.idembox.cli;

import org.jspecify.annotations.NullMarked;
