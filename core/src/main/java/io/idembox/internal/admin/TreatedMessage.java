// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.CommandResult;
import io.idembox.internal.engine.EntryState;
import org.jspecify.annotations.Nullable;

/**
 * The result of a command for one message.
 *
 * @param before the state before the command; null when the row was missing or locked by another transaction
 */
public record TreatedMessage(CommandResult result, @Nullable EntryState before) {}
