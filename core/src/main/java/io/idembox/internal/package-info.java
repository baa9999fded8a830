// SPDX-License-Identifier: Apache-2.0
/** Builds an inbox from its rooms. Not API. */
@NullMarked
package io.idembox.internal;

import org.jspecify.annotations.NullMarked;
