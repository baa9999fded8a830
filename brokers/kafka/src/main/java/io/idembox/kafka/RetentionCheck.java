// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

/** What happens when a topic keeps records for longer than the inbox remembers them, so that reading it again would repeat effects. */
public enum RetentionCheck {
    /** The source does not start. */
    REFUSE,
    /** It is said at the start. */
    WARN,
    /** Nobody looks. */
    OFF
}
