// SPDX-License-Identifier: Apache-2.0
/** Selecting messages and running commands on them; shared by all message commands. */
@NullMarked
package io.idembox.cli.selection;

import org.jspecify.annotations.NullMarked;
