// SPDX-License-Identifier: Apache-2.0
/** {@code idembox completion}, {@code help} and {@code version}. */
@NullMarked
package io.idembox.cli.shell;

import org.jspecify.annotations.NullMarked;
