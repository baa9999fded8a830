// SPDX-License-Identifier: Apache-2.0
/** {@code idembox keys}: keys that a message blocks. */
@NullMarked
package io.idembox.cli.keys;

import org.jspecify.annotations.NullMarked;
