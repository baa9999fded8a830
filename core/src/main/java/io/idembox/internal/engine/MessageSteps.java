// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxConfigurationException;
import io.idembox.Payload;
import io.idembox.Step;
import org.jspecify.annotations.Nullable;

/** The steps of one message in one attempt. Not thread-safe. */
interface MessageSteps {

    /** Runs the step, unless an earlier attempt has finished it. */
    Payload run(String name, Step.Work work) throws Exception;

    /**
     * What happened to a step and concerns more than the step, whether or not the handler threw it on: a wrong use, a
     * lease that is gone, a commit that nobody knows of. Null when there is nothing.
     */
    @Nullable
    RuntimeException trouble();

    /** No steps here. */
    static MessageSteps refused(String why) {
        return new Refused(why);
    }

    /** Says why, and remembers that it was asked: a handler that goes on as if its step were done has failed. */
    final class Refused implements MessageSteps {

        private final String why;
        private @Nullable RuntimeException trouble;

        private Refused(String why) {
            this.why = why;
        }

        @Override
        public Payload run(String name, Step.Work work) {
            InboxConfigurationException refused = new InboxConfigurationException("The step " + name + " is refused: "
                    + why + " Write through the connection you were given, and hand effectKey(\"" + name
                    + "\") to whoever you call; or store the messages (Mode.STORED) and handle them one by one.");
            trouble = refused;
            throw refused;
        }

        @Override
        public @Nullable RuntimeException trouble() {
            return trouble;
        }
    }
}
