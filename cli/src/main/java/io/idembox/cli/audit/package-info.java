// SPDX-License-Identifier: Apache-2.0
/** What people did, and whether somebody changed it since. */
@NullMarked
package io.idembox.cli.audit;

import org.jspecify.annotations.NullMarked;
