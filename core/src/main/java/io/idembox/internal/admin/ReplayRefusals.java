// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Operation;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.RegisteredConsumer;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes replays that the policy of their consumer refuses to the audit trail, and reports them. Thread-safe. */
final class ReplayRefusals {

    private static final Logger log = LoggerFactory.getLogger(ReplayRefusals.class);

    /** Used instead of an arrival number, because the refusal concerns the whole consumer. */
    private static final long CONSUMER = 0;

    private static final int MAX_FILTER_LENGTH = 2_000;

    private final OperationExecutor operations;
    private final EventPublisher events;

    ReplayRefusals(OperationExecutor operations, EventPublisher events) {
        this.operations = operations;
        this.events = events;
    }

    /** Records once the operator, the reason and the refusal. Does nothing if this node does not have the policy. */
    void refused(ConsumerRegistry.Known known, Operation operation, String why) {
        if (!known.policyKnown()) {
            return;
        }
        RegisteredConsumer consumer = known.consumer();
        String about =
                "refused: " + operation.filterIfAny().map(range -> range + "; ").orElse("") + why;
        Operation asked = operation.selectedBy(about.substring(0, Math.min(about.length(), MAX_FILTER_LENGTH)));
        OperationExecutor.Answer answer = operations.run(
                new OperationExecutor.Request(consumer, Command.REPLAY, asked, Set.of(CONSUMER)),
                tx -> Map.of(CONSUMER, new TreatedMessage(CommandResult.NOT_APPLICABLE, null)));
        if (!answer.repeated()) {
            log.warn(
                    "Consumer {}: a replay requested by {} is refused (operation {}: {}). {}",
                    consumer.name(),
                    operation.by(),
                    operation.id(),
                    operation.reason(),
                    why);
            events.tell(new InboxEvent.ReplayRefused(consumer.name(), operation, why));
        }
    }
}
