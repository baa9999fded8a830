// SPDX-License-Identifier: Apache-2.0
/** {@code idembox operations}: manage campaigns. */
@NullMarked
package io.idembox.cli.operations;

import org.jspecify.annotations.NullMarked;
