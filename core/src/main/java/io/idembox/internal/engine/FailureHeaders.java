// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Position;
import java.util.Locale;
import java.util.Objects;

/**
 * What a dead letter tells about the message that failed, in headers of its own beside those it came with. Broker adapters
 * write them as their world knows them.
 */
final class FailureHeaders {

    private static final String PREFIX = "idembox-dead-";

    private FailureHeaders() {}

    /** What a handler hands on of a dead letter it handled is not about the message it sends. */
    static Headers without(Headers headers) {
        return headers.all().stream().noneMatch(FailureHeaders::isOurs)
                ? headers
                : Headers.of(
                        headers.all().stream().filter(header -> !isOurs(header)).toList());
    }

    private static boolean isOurs(Headers.Header header) {
        return header.name().toLowerCase(Locale.ROOT).startsWith(PREFIX);
    }

    static Headers headersOf(RegisteredConsumer consumer, MessageResult result) {
        Message failed = result.recorded().incoming().message();
        MessageId id = result.recorded().main().id();
        Failure failure = Objects.requireNonNull(result.outcome()).failure();
        Headers headers = failed.headers()
                .with(PREFIX + "id", id.id())
                .with(PREFIX + "source", id.source())
                .with(PREFIX + "consumer", consumer.name())
                .with(PREFIX + "error-class", failure.errorClass())
                .with(PREFIX + "error", failure.message());
        if (failure.stackTrace() != null) {
            headers = headers.with(PREFIX + "stack", failure.stackTrace());
        }
        Position position = failed.position().orElse(null);
        if (position != null) {
            headers = headers.with(PREFIX + "channel", position.channel())
                    .with(PREFIX + "partition", String.valueOf(position.partition()))
                    .with(PREFIX + "offset", String.valueOf(position.offset()));
        }
        return failed.time().isPresent()
                ? headers.with(PREFIX + "time", failed.time().get().toString())
                : headers;
    }
}
