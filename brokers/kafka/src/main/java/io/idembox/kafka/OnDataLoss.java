// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

/**
 * The reaction when Kafka no longer has the next record: its retention removed it, the log was cut as after an
 * unclean election, or the topic was deleted and created again.
 */
public enum OnDataLoss {
    /**
     * Stops the partition, also after restarts, and logs the reason. Messages may be lost, so an operator has to
     * decide.
     */
    STOP,
    /**
     * Logs it and continues where the log was cut, or else with the oldest record. Known messages are answered
     * DUPLICATE.
     */
    GO_ON
}
