// SPDX-License-Identifier: Apache-2.0
/**
 * Fault injection at every call from an inbox to its database or its broker, by wrapping JDBC: {@link
 * io.idembox.testkit.fault.FaultyDataSource} numbers the steps of a scenario, a {@link
 * io.idembox.testkit.fault.FaultPlan} names the fault and its step. Production code has no hooks for it. A {@link
 * io.idembox.testkit.fault.CuttingProxy} cuts whole connections from outside.
 */
@NullMarked
package io.idembox.testkit.fault;

import org.jspecify.annotations.NullMarked;
