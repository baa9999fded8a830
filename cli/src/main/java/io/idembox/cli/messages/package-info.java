// SPDX-License-Identifier: Apache-2.0
/** {@code idembox messages}: list, get, explain, follow and export messages. */
@NullMarked
package io.idembox.cli.messages;

import org.jspecify.annotations.NullMarked;
