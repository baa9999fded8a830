// SPDX-License-Identifier: Apache-2.0
/** Handling settled messages again. */
@NullMarked
package io.idembox.cli.replay;

import org.jspecify.annotations.NullMarked;
