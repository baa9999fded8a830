// SPDX-License-Identifier: Apache-2.0
/** {@code idembox status}: how far everybody is behind. */
@NullMarked
package io.idembox.cli.status;

import org.jspecify.annotations.NullMarked;
