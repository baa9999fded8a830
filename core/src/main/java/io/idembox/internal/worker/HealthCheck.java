// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import io.idembox.event.InboxEvent;
import java.util.Optional;

/** What is wrong with a consumer. */
@FunctionalInterface
public interface HealthCheck {

    /** Empty when nothing of that kind is wrong, or when the policy does not ask. */
    Optional<Symptom> look(InboxEvent.Alert.Kind kind);

    /**
     * Something that is wrong.
     *
     * @param what is wrong, since when and how much, as a sentence
     * @param advice what to do about it, as a sentence
     */
    record Symptom(String what, String advice) {}
}
