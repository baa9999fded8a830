// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.RetryBy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells people and listeners of attempts that did not end well, after the commit. Thread-safe. */
final class FailureReporter {

    private static final Logger log = LoggerFactory.getLogger(FailureReporter.class);

    private final RegisteredConsumer consumer;
    private final EventPublisher events;

    FailureReporter(RegisteredConsumer consumer, EventPublisher events) {
        this.consumer = consumer;
        this.events = events;
    }

    /** Reports a payload that was parked because its id was seen before with another one: once, when it is parked. */
    void tellConflict(IncomingMessage incoming, Receipt answer) {
        if (!Recorder.isNewConflict(answer)) {
            return;
        }
        log.warn(
                "Consumer {}: the id {} was seen before with another payload. This one is parked as a conflict and was not"
                        + " handled. Find out why the producer uses the id twice, then redrive or discard it.",
                consumer.name(),
                incoming.id());
        events.tell(new InboxEvent.Conflict(consumer.name(), incoming.id()));
    }

    void tell(MessageResult result) {
        FailureOutcome outcome = result.outcome();
        if (outcome == null) {
            return;
        }
        RecordedMessage recorded = result.recorded();
        String summary = ErrorText.sentence(outcome.failure().summary());
        if (outcome.isFinal()) {
            log.error(
                    "Consumer {}: {} is {} after attempt {}: {} It is kept and will not be tried again by itself; mend the"
                            + " cause and redrive it, or discard it.",
                    consumer.name(),
                    recorded.incoming().id(),
                    outcome.state(),
                    recorded.attempt(),
                    summary);
        } else {
            log.warn(
                    "Consumer {}: attempt {} at {} failed: {} {}",
                    consumer.name(),
                    recorded.attempt(),
                    recorded.incoming().id(),
                    summary,
                    recorded.ownedBy(consumer.policy()) == RetryBy.INBOX
                            ? "It is kept; the inbox tries again in " + outcome.retryAfter() + "."
                            : "It was not acknowledged; its redelivery tries again.");
        }
        events.tell(new InboxEvent.AttemptFailed(
                consumer.name(), recorded.incoming().id(), recorded.attempt(), outcome.failure()));
    }
}
