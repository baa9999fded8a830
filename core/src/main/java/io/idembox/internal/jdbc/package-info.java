// SPDX-License-Identifier: Apache-2.0
/** The store: all SQL of the product, the dialects, the schema and the start-up checks. Not API. */
@NullMarked
package io.idembox.internal.jdbc;

import org.jspecify.annotations.NullMarked;
