// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The result of publishing one message. */
public sealed interface PublishResult {

    /**
     * The broker has stored the message durably.
     *
     * @param where the position in the broker, for logs, such as {@code receipts-3@1042}; null when unknown
     */
    record Confirmed(@Nullable String where) implements PublishResult {}

    /** The broker may or may not have the message. It is published again. */
    record Failed(Throwable cause) implements PublishResult {

        public Failed {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /** The broker will never accept this message. It is parked. */
    record Refused(Throwable cause) implements PublishResult {

        public Refused {
            Objects.requireNonNull(cause, "cause");
        }
    }
}
