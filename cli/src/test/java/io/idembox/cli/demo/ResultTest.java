// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The texts printed during and after the run, with those of the chain. */
class ResultTest {

    private static final Sample.ConsumerState DONE = new Sample.ConsumerState(19_988, 1_000, 24_000, 300, 20, 12, 0);

    private static Sample sample(Sample.Outbox outbox, Sample.ConsumerState receipts) {
        Map<Role, Sample.ConsumerState> consumerState = new EnumMap<>(Role.class);
        Map<Role, FaultCounts> faultCounts = new EnumMap<>(Role.class);
        for (Role role : Role.values()) {
            consumerState.put(role, role == Role.RECEIPTS ? receipts : DONE);
            faultCounts.put(role, new FaultCounts(20, 3));
        }
        return new Sample(Duration.ofSeconds(100), 20_000, 24_017, outbox, faultCounts, consumerState);
    }

    private static Sample done() {
        return sample(new Sample.Outbox(0, 20_000), new Sample.ConsumerState(19_988, 0, 12, 200, 0, 0, 0));
    }

    private static Result result(ConsumerBalance receipts) {
        return new Result(
                List.of(ledger(Role.BILLING, 0, 0, 0), receipts, ledger(Role.SHIPPING, 0, 0, 0), naive()),
                done(),
                12,
                12,
                0);
    }

    private static ConsumerBalance ledger(Role role, int lost, int doubled, int reordered) {
        return new ConsumerBalance(role, 20_000, 19_988, lost, doubled, 0, reordered, 12);
    }

    private static ConsumerBalance naive() {
        return new ConsumerBalance(Role.NAIVE, 20_000, 24_000, 150, 4_162, 4_000, 2_000, 0);
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 0", "0, 2, 0", "0, 0, 3"})
    void errorsAtTheEndOfTheChainAreReported(int lost, int doubled, int reordered) {
        Result result = result(ledger(Role.RECEIPTS, lost, doubled, reordered));
        assertThat(result.isClean()).isFalse();
        assertThat(result.line())
                .startsWith(
                        "lost=%1$d doubled=%2$d reordered=%3$d chain-lost=%1$d chain-doubled=%2$d chain-reordered=%3$d "
                                .formatted(lost, doubled, reordered));
        assertThat(result.toMap()).containsEntry("clean", false);
    }

    @Test
    void theNaiveConsumerDoesNotAffectTheResult() {
        Result result = result(ledger(Role.RECEIPTS, 0, 0, 0));
        assertThat(result.isClean()).isTrue();
        assertThat(result.line())
                .isEqualTo("lost=0 doubled=0 reordered=0 chain-lost=0 chain-doubled=0 chain-reordered=0"
                        + " kills=60 freezes=9 parked=12 naive-doubled=4162 naive-lost=150");
        assertThat(result.publishedAgain()).isEqualTo(12);
        assertThat(DemoTexts.after(result)).contains(result.line()).anyMatch(line -> line.startsWith("  receipts "));
    }

    @Test
    void isIncompleteWhileAReceiptIsUnhandled() {
        Sample.ConsumerState receipts = new Sample.ConsumerState(19_988, 0, 12, 200, 0, 0, 0);
        assertThat(done().isComplete()).isTrue();
        assertThat(sample(new Sample.Outbox(1, 20_000), receipts).isComplete())
                .as("in the outbox")
                .isFalse();
        assertThat(sample(new Sample.Outbox(0, 20_000), new Sample.ConsumerState(19_988, 0, 12, 200, 0, 0, 1))
                        .isComplete())
                .as("in its topic")
                .isFalse();
        assertThat(sample(new Sample.Outbox(0, 20_000), new Sample.ConsumerState(19_987, 0, 12, 200, 0, 0, 0))
                        .isComplete())
                .as("without effect")
                .isFalse();
    }

    @Test
    void theLiveScreenFitsEightyColumnsAndShowsTheChain() {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        new Screen(new PrintStream(shown, true, StandardCharsets.UTF_8), true, 20_000).show(done());
        List<String> lines = shown.toString(StandardCharsets.UTF_8)
                .replaceAll("\u001b\\[\\d*[A-Z]", "")
                .lines()
                .toList();
        assertThat(lines).allSatisfy(line -> assertThat(line.length()).as(line).isLessThan(80));
        assertThat(lines).anyMatch(line -> line.startsWith("  receipts ")).anyMatch(line -> line.contains("outbox"));
    }
}
