// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.time.Instant;

/** An operator command on a message, and its result. */
public record OperationRecord(Command command, Operation operation, Instant at, CommandResult result) {}
