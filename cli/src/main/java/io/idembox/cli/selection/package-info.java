// SPDX-License-Identifier: Apache-2.0
/** Which messages people mean, and what is done with them: shared by all commands about messages. */
@NullMarked
package io.idembox.cli.selection;

import org.jspecify.annotations.NullMarked;
