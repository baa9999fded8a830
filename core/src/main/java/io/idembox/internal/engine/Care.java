// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

/**
 * What it takes to handle messages of direct mode with care after a process ended.
 *
 * @param watch keeps leases alive while their message is handled
 */
public record Care(LeaseStore leases, PartitionStore owners, LeaseRenewal watch) {}
