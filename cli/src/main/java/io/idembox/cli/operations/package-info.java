// SPDX-License-Identifier: Apache-2.0
/** Campaigns as commands. */
@NullMarked
package io.idembox.cli.operations;

import org.jspecify.annotations.NullMarked;
