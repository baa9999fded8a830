// SPDX-License-Identifier: Apache-2.0
/** Reads payloads with Jackson 3, an optional dependency. */
@NullMarked
package io.idembox.codec.jackson3;

import org.jspecify.annotations.NullMarked;
