// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a broker said about one message. */
public sealed interface PublishResult {

    /**
     * The broker has it for good.
     *
     * @param where it is now, for people, such as {@code receipts-3@1042}; null when the broker does not say
     */
    record Confirmed(@Nullable String where) implements PublishResult {}

    /** It may be there or not, and it may work next time: tried again. */
    record Failed(Throwable cause) implements PublishResult {

        public Failed {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /** The broker will not take this message, however often it is asked: parked. */
    record Refused(Throwable cause) implements PublishResult {

        public Refused {
            Objects.requireNonNull(cause, "cause");
        }
    }
}
