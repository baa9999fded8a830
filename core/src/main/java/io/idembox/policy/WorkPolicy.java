// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;

/**
 * How a consumer's workers process stored messages.
 *
 * @param workers the number of batches that one node handles at the same time
 * @param batch the maximum number of messages per transaction
 * @param lease how long a node holds a batch without renewing its lease; then another node may claim it
 * @param maxProcessing how long one call of a handler may take; then it is interrupted, its lease is not renewed, and a
 *     lease expiry is counted for its message
 * @param poll how often an idle node checks for due messages
 */
public record WorkPolicy(int workers, int batch, Duration lease, Duration maxProcessing, Duration poll) {

    private static final WorkPolicy DEFAULTS =
            new WorkPolicy(4, 100, Duration.ofSeconds(30), Duration.ofMinutes(5), Duration.ofSeconds(1));

    public WorkPolicy {
        PolicyCheck.require(
                workers >= 1 && workers <= 1_000, "work.workers must be between 1 and 1000, was %s", workers);
        PolicyCheck.require(batch >= 1 && batch <= 1_000, "work.batch must be between 1 and 1000, was %s", batch);
        PolicyCheck.requireDuration("work.lease", lease, 100);
        PolicyCheck.require(lease.toDays() < 1, "work.lease must be shorter than a day, was %s", lease);
        PolicyCheck.require(
                maxProcessing.compareTo(lease) >= 0,
                "work.max-processing (%s) must not be shorter than work.lease (%s)",
                maxProcessing,
                lease);
        PolicyCheck.requireDuration("work.max-processing", maxProcessing, 100);
        PolicyCheck.requireDuration("work.poll", poll, 1);
    }

    /** Four workers, 100 messages a batch, leases of 30 seconds. */
    public static WorkPolicy defaults() {
        return DEFAULTS;
    }

    public WorkPolicy workers(int newWorkers) {
        return new WorkPolicy(newWorkers, batch, lease, maxProcessing, poll);
    }

    public WorkPolicy batch(int newBatch) {
        return new WorkPolicy(workers, newBatch, lease, maxProcessing, poll);
    }

    public WorkPolicy lease(Duration newLease) {
        return new WorkPolicy(workers, batch, newLease, maxProcessing, poll);
    }

    public WorkPolicy maxProcessing(Duration newMaxProcessing) {
        return new WorkPolicy(workers, batch, lease, newMaxProcessing, poll);
    }

    public WorkPolicy poll(Duration newPoll) {
        return new WorkPolicy(workers, batch, lease, maxProcessing, newPoll);
    }
}
