// SPDX-License-Identifier: Apache-2.0
/** What every command is given: the options of all commands, the streams, and a session with the database. */
@NullMarked
package io.idembox.cli.call;

import org.jspecify.annotations.NullMarked;
