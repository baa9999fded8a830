// SPDX-License-Identifier: Apache-2.0
/**
 * Faults at every place where an inbox touches its database or its broker, injected by wrapping JDBC: {@link
 * io.idembox.testkit.fault.FaultyDataSource} numbers the steps of a scenario, a {@link io.idembox.testkit.fault.FaultPlan}
 * says what goes wrong at which step. Production code has no hooks for it. A {@link
 * io.idembox.testkit.fault.CuttingProxy} does the same to whole connections, from outside.
 */
@NullMarked
package io.idembox.testkit.fault;

import org.jspecify.annotations.NullMarked;
