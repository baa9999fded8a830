// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.MessageId;
import io.idembox.StoreUnavailableException;
import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.cli.call.CommandException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Batches, and lost answers. */
class BatchedExecutionTest {

    private final List<String> asked = new ArrayList<>();
    private final List<Integer> lost = new ArrayList<>();
    private Exception why = new Exception();
    private final List<Integer> progress = new ArrayList<>();

    private final BatchedExecution batchedExecution = new BatchedExecution(
            door(),
            MessageCommand.REDRIVE,
            consumer -> Operation.of("anna", "because"),
            sofar -> progress.add(sofar.done()));

    /** An admin that accepts every command and loses the answers of the given calls. */
    private InboxAdmin door() {
        return (InboxAdmin) Proxy.newProxyInstance(
                InboxAdmin.class.getClassLoader(), new Class<?>[] {InboxAdmin.class}, (proxy, method, args) -> {
                    Operation operation = (Operation) args[1];
                    asked.add(operation.id());
                    if (lost.contains(asked.size())) {
                        throw new StoreUnavailableException("The database does not answer.", why);
                    }
                    List<Report.Line> lines = new ArrayList<>();
                    for (Object each : (List<?>) args[0]) {
                        lines.add(new Report.Line((MessageRef) each, CommandResult.DONE));
                    }
                    return new Report(Command.REDRIVE, operation, Instant.EPOCH, false, lines);
                });
    }

    private static List<MessageRef> messages(int number) {
        return IntStream.range(0, number)
                .mapToObj(each -> new MessageRef("billing", new MessageId("/orders", "" + each), each, "v"))
                .toList();
    }

    @Test
    void eachThousandMessagesAreOneOperation() {
        batchedExecution.execute("billing", messages(2_001));

        assertThat(asked).hasSize(3).doesNotHaveDuplicates();
        assertThat(progress).containsExactly(1_000, 2_000, 2_001);
    }

    @Test
    void lostAnswerIsRetriedWithTheSameOperation() {
        lost.add(2);

        batchedExecution.execute("billing", messages(1_500));

        assertThat(asked).hasSize(3);
        assertThat(asked.get(1)).isEqualTo(asked.get(2)).isNotEqualTo(asked.get(0));
        assertThat(batchedExecution.outcome().done()).isEqualTo(1_500);
    }

    @Test
    void missingPrivilegeIsReportedAtOnce() {
        lost.add(1);
        why = new SQLException("", "42501");

        assertThatThrownBy(() -> batchedExecution.execute("billing", messages(1)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("The database does not answer.");
        assertThat(asked).hasSize(1);
    }

    @Test
    void unreachableDatabaseReportsFinishedMessages() {
        lost.addAll(List.of(2, 3));

        assertThatThrownBy(() -> batchedExecution.execute("billing", messages(1_500)))
                .isInstanceOfSatisfying(
                        CommandException.class,
                        away -> assertThat(away.exitCode()).isEqualTo(2))
                .hasMessageContaining("1000 messages were redriven")
                .hasMessageContaining(asked.get(1));
    }
}
