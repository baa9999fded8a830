// SPDX-License-Identifier: Apache-2.0
/** Shared by all commands: global options, streams, exit codes, and the database session. */
@NullMarked
package io.idembox.cli.call;

import org.jspecify.annotations.NullMarked;
