// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Recording;

/** What is written together with a mark. */
public enum RecordingDepth {
    /** Nothing: the message is handled at once. */
    MARK,
    /** Its body, because the consumer keeps bodies. */
    BODY,
    /** Its body and an entry: the message is worked on later. */
    ENTRY;

    static RecordingDepth asPolicySays(ConsumerPolicy policy) {
        return policy.recording() == Recording.FULL ? BODY : MARK;
    }
}
