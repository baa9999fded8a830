// SPDX-License-Identifier: Apache-2.0
/** The connection a handler sees: it cannot end the transaction, and it remembers every error. Not API. */
@NullMarked
package io.idembox.internal.connection;

import org.jspecify.annotations.NullMarked;
