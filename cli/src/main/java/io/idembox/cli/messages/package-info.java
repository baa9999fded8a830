// SPDX-License-Identifier: Apache-2.0
/** {@code idembox messages}: look, explain, follow, export. */
@NullMarked
package io.idembox.cli.messages;

import org.jspecify.annotations.NullMarked;
