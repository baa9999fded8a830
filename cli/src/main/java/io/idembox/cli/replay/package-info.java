// SPDX-License-Identifier: Apache-2.0
/** {@code idembox replay}: handle settled messages again. */
@NullMarked
package io.idembox.cli.replay;

import org.jspecify.annotations.NullMarked;
