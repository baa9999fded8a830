// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.MessageId;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Report;
import io.idembox.cli.output.Fields;
import java.util.ArrayList;
import java.util.List;

/** Collects the results of a command over all its operations. Not thread-safe. */
final class CommandSummary {

    private final MessageCommand command;
    private final List<Fields> operations = new ArrayList<>();
    private final List<Fields> refusals = new ArrayList<>();
    private boolean orderUnknown;
    private int done;

    CommandSummary(MessageCommand command) {
        this.command = command;
    }

    void add(String consumer, Report report) {
        done += report.done();
        operations.add(Fields.of("operation", report.operation().id())
                .and("consumer", consumer)
                .and("at", report.at())
                .and("done", report.done())
                .and("refused", report.refused().size()));
        for (Report.Line line : report.refused()) {
            orderUnknown |= line.result() == CommandResult.ORDER_UNKNOWN;
            refuse(
                    consumer,
                    line.ref().id(),
                    line.result().name(),
                    line.result().description());
        }
    }

    void add(SelectedMessages.Unknown unknown) {
        refuse(unknown.consumer(), unknown.id(), "UNKNOWN", "never received, or purged");
    }

    private void refuse(String consumer, MessageId id, String result, String words) {
        refusals.add(Fields.of("consumer", consumer)
                .and("source", id.source())
                .and("id", id.id())
                .and("verdict", result)
                .and("words", words));
    }

    int done() {
        return done;
    }

    int refused() {
        return refusals.size();
    }

    /** Whether a message was refused because the policy of an ordered consumer is unknown. */
    boolean isOrderUnknown() {
        return orderUnknown;
    }

    Fields fields() {
        return Fields.of("command", command.toString())
                .and("done", done)
                .and("refused", refusals.size())
                .and("operations", operations)
                .and("refusals", refusals);
    }
}
