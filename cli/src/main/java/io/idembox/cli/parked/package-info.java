// SPDX-License-Identifier: Apache-2.0
/** {@code idembox parked}: messages that need attention. */
@NullMarked
package io.idembox.cli.parked;

import org.jspecify.annotations.NullMarked;
