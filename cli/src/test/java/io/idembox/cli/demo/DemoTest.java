// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small run of the demo, with real servers, real processes and real kills. */
@Tag("slow")
class DemoTest {

    @TempDir
    Path logs;

    @Test
    void nothingIsLostOrDoubledAlongTheChainAndTheNaiveConsumerDoubles() throws Exception {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        Screen screen = new Screen(new PrintStream(shown, true, StandardCharsets.UTF_8), false, 600);
        AtomicBoolean visited = new AtomicBoolean();
        Plan plan = new Plan(600, 20, Duration.ofSeconds(2), Duration.ofSeconds(150), 1);

        Result result = new DemoRun(plan, screen, logs).run((end, addresses, port) -> visited.set(true));

        assertThat(result.line()).startsWith("lost=0 doubled=0 reordered=0 ");
        assertThat(result.isClean()).as(shown.toString(StandardCharsets.UTF_8)).isTrue();
        assertThat(result.parked()).isEqualTo(result.poison()).isEqualTo(2);
        assertThat(Role.IDEMBOX)
                .allSatisfy(role -> assertThat(result.of(role).effects())
                        .as(role.consumer())
                        .isEqualTo(598));
        assertThat(result.last().outbox().waiting()).isZero();
        assertThat(result.last().outbox().published()).isGreaterThanOrEqualTo(598);
        assertThat(result.of(Role.NAIVE).doubled()).isPositive();
        assertThat(result.unexpectedExits()).isZero();
        assertThat(visited).isTrue();
        assertThat(shown.toString(StandardCharsets.UTF_8))
                .contains("sent 600 of 600", "billing", "receipts", "shipping", "naive");
    }
}
