// SPDX-License-Identifier: Apache-2.0
/** Reads payloads with Jackson 2, an optional dependency. */
@NullMarked
package io.idembox.codec.jackson2;

import org.jspecify.annotations.NullMarked;
