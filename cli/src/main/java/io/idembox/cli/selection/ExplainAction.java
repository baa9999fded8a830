// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.MessageId;
import io.idembox.admin.Explanation;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.Fields;

/** Prints the explanation of a message's state. */
public final class ExplainAction {

    private ExplainAction() {}

    public static int print(Invocation invocation, String consumer, MessageId id) {
        try (AdminSession adminSession = invocation.open()) {
            Explanation explanation = adminSession.admin().explain(consumer, id);
            invocation
                    .printer()
                    .printOne(
                            Fields.of("consumer", consumer)
                                    .and("source", id.source())
                                    .and("id", id.id())
                                    .and("sentences", explanation.sentences()),
                            explanation.sentences());
        }
        return ExitCode.DONE;
    }
}
