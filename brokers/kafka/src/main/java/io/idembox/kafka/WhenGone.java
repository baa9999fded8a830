// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

/**
 * What happens when Kafka does not have the record any more that comes next: its retention removed it, the log was cut as after an
 * unclean election, or the topic was deleted and created again.
 */
public enum WhenGone {
    /** The partition stops, and the log says why, over restarts too. What is gone may be lost, and an operator has to decide. */
    STOP,
    /**
     * It is logged, and reading goes on: where the log was cut, or else with the oldest record there is. What was seen before is
     * answered DUPLICATE.
     */
    GO_ON
}
