// SPDX-License-Identifier: Apache-2.0
/**
 * Shared parts of the test kit's servers: child processes that can be killed and never outlive the JVM ({@link
 * io.idembox.testkit.process.Watchdog}), on loopback ports that stay the same over a restart.
 */
@NullMarked
package io.idembox.testkit.process;

import org.jspecify.annotations.NullMarked;
