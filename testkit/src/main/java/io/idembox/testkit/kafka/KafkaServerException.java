// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.kafka;

import io.idembox.testkit.process.ServerException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Thrown when an operation on a {@link KafkaServer} fails; shows the last lines of the broker's log. */
public final class KafkaServerException extends ServerException {

    private static final long serialVersionUID = 1L;

    KafkaServerException(String message) {
        super(message);
    }

    KafkaServerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    KafkaServerException(String message, List<String> log) {
        super(message, log);
    }
}
