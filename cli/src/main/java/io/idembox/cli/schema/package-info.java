// SPDX-License-Identifier: Apache-2.0
/** {@code idembox schema}: the database schema. */
@NullMarked
package io.idembox.cli.schema;

import org.jspecify.annotations.NullMarked;
