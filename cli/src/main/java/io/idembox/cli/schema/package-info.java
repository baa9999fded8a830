// SPDX-License-Identifier: Apache-2.0
/** {@code idembox schema}: the tables. */
@NullMarked
package io.idembox.cli.schema;

import org.jspecify.annotations.NullMarked;
