// SPDX-License-Identifier: Apache-2.0
/**
 * Operator API: inspect messages, explain their state, and change unfinished ones by command. Start at
 * {@link io.idembox.admin.InboxAdmin}.
 */
@NullMarked
package io.idembox.admin;

import org.jspecify.annotations.NullMarked;
