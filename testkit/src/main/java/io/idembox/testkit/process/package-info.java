// SPDX-License-Identifier: Apache-2.0
/**
 * What the servers of the test kit have in common: they are child processes that can be killed and never outlive the
 * JVM ({@link io.idembox.testkit.process.Watchdog}), on loopback ports that stay theirs over a restart.
 */
@NullMarked
package io.idembox.testkit.process;

import org.jspecify.annotations.NullMarked;
