// SPDX-License-Identifier: Apache-2.0
/** {@code idembox intents}: recorded calls to outside systems. */
@NullMarked
package io.idembox.cli.intents;

import org.jspecify.annotations.NullMarked;
