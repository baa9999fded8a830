// SPDX-License-Identifier: Apache-2.0
/** What the shell wants to know: completion and version. */
@NullMarked
package io.idembox.cli.shell;

import org.jspecify.annotations.NullMarked;
