// SPDX-License-Identifier: Apache-2.0
/** {@code idembox intents}: what is intended outside the database. */
@NullMarked
package io.idembox.cli.intents;

import org.jspecify.annotations.NullMarked;
