// SPDX-License-Identifier: Apache-2.0
/** {@code idembox keys}: whom a message holds up. */
@NullMarked
package io.idembox.cli.keys;

import org.jspecify.annotations.NullMarked;
