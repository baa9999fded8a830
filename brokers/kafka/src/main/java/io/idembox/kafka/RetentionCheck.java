// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

/**
 * What happens when a topic has records that are older than what the inbox remembers, so that handling them again would repeat
 * effects: a topic that is read keeps them for longer, or a dead letter was sent before.
 */
public enum RetentionCheck {
    /** The source does not start; the dead letter is not imported. */
    REFUSE,
    /** It is logged. */
    WARN,
    /** It is not checked. */
    OFF
}
