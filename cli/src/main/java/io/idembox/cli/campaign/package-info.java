// SPDX-License-Identifier: Apache-2.0
/** Campaigns (commands over many messages): options, start, progress and result. */
@NullMarked
package io.idembox.cli.campaign;

import org.jspecify.annotations.NullMarked;
