// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.time.Instant;

/** A command that somebody gave for a message, and what it did with it. */
public record OperationRecord(Command command, Operation operation, Instant at, CommandResult result) {}
