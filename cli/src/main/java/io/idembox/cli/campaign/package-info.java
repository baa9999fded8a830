// SPDX-License-Identifier: Apache-2.0
/** Commands for very many messages as they are kept in the database: how fast, how far, and how they end. */
@NullMarked
package io.idembox.cli.campaign;

import org.jspecify.annotations.NullMarked;
