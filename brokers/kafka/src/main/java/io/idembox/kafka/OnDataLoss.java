// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

/**
 * What happens when Kafka no longer has the next record: its retention removed it, the log was cut as after an
 * unclean election, or the topic was deleted and created again.
 */
public enum OnDataLoss {
    /** The partition stops, also after restarts, and the reason is logged. Messages may be lost, so an operator has to decide. */
    STOP,
    /**
     * It is logged, and reading continues where the log was cut, or else with the oldest record. Known messages are answered
     * DUPLICATE.
     */
    GO_ON
}
