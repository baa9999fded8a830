// SPDX-License-Identifier: Apache-2.0
/** What people did, each sealed to the one before it, so that nobody can change the past without being found out. */
@NullMarked
package io.idembox.audit;

import org.jspecify.annotations.NullMarked;
