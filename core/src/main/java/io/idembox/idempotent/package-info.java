// SPDX-License-Identifier: Apache-2.0
/** Idempotent writes for tables whose rows show whether a change has already been applied. */
@NullMarked
package io.idembox.idempotent;

import org.jspecify.annotations.NullMarked;
