// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.CommandResult;
import io.idembox.internal.engine.EntryState;
import org.jspecify.annotations.Nullable;

/**
 * What a command did with one message.
 *
 * @param before where it stood; null when its row was gone or held by somebody
 */
public record TreatedMessage(CommandResult result, @Nullable EntryState before) {}
