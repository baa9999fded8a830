// SPDX-License-Identifier: Apache-2.0
/** The runner of SQL files: loads whole statements by name and runs them with named parameters. It knows nothing of inboxes. */
@NullMarked
package io.idembox.internal.jdbc.sql;

import org.jspecify.annotations.NullMarked;
