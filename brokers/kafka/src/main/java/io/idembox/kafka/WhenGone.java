// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

/**
 * What happens when Kafka does not have the record any more that comes next: its retention removed it, the log is shorter than it
 * was, or the topic was deleted and created again.
 */
public enum WhenGone {
    /** The partition stands still, and the log says why. What is gone may be lost, and somebody has to decide. */
    STOP,
    /** It is said in the log, and reading goes on with the oldest record there is; what was seen before is answered DUPLICATE. */
    GO_ON
}
