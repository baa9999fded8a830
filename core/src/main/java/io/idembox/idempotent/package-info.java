// SPDX-License-Identifier: Apache-2.0
/** Writes that may be repeated: for tables of yours that know by themselves whether something has happened. */
@NullMarked
package io.idembox.idempotent;

import org.jspecify.annotations.NullMarked;
