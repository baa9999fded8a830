// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.deadletters;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.cli.call.CommandEnvironment;
import io.idembox.cli.call.GlobalOptions;
import io.idembox.cli.call.Invocation;
import io.idembox.kafka.KafkaDeadLetters;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The report of an import. */
class ImportCommandTest {

    private final StringWriter out = new StringWriter();
    private final GlobalOptions options = new GlobalOptions();
    private final ImportCommand command = new ImportCommand(new Invocation(
            options,
            new CommandEnvironment(
                    Map.of(),
                    new BufferedReader(new StringReader("")),
                    new PrintWriter(out),
                    new PrintWriter(new StringWriter()),
                    CommandEnvironment.Terminals.NONE,
                    InstantSource.system())));

    @Test
    void theReportIsPrintedAsJson() {
        new CommandLine(options).parseArgs("-o", "ndjson");

        int exitCode = command.report(new KafkaDeadLetters.Report(5, 3, 1, 1, 0, 0, 0, List.of()));

        assertThat(exitCode).isZero();
        assertThat(out)
                .hasToString(
                        "{\"read\":5,\"parked\":3,\"known\":1,\"conflicts\":1,\"withoutOrigin\":0,\"otherGroups\":0,"
                                + "\"refused\":0,\"words\":[]}\n");
    }

    @Test
    void incompleteImportExitsWithOne() {
        assertThat(command.report(
                        new KafkaDeadLetters.Report(2, 1, 0, 0, 1, 0, 0, List.of("orders-dlt-0@7: no origin"))))
                .isEqualTo(1);
        assertThat(out.toString()).contains("withoutOrigin", "orders-dlt-0@7: no origin");
    }
}
