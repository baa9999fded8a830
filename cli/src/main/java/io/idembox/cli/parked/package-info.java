// SPDX-License-Identifier: Apache-2.0
/** {@code idembox parked}: what waits for people. */
@NullMarked
package io.idembox.cli.parked;

import org.jspecify.annotations.NullMarked;
