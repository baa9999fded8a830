// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.admin.CampaignOptions;
import io.idembox.cli.call.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** Parsing of rates and shares. */
class CampaignOptionGroupTest {

    @Command
    static final class Taking {
        @Mixin
        CampaignOptionGroup options = new CampaignOptionGroup();
    }

    private static CampaignOptionGroup read(String... args) {
        Taking taking = new Taking();
        new CommandLine(taking).parseArgs(args);
        return taking.options;
    }

    @Test
    void optionsSetThePace() {
        CampaignOptionGroup all = read("--canary", "10", "--rate", "50/s", "--stop-on-failures", "2.5%");

        assertThat(all.isGiven()).isTrue();
        assertThat(all.pace()).isEqualTo(new CampaignOptions(10, 50, 0.025));
        assertThat(read().isGiven()).isFalse();
        assertThat(read().pace()).isEqualTo(CampaignOptions.defaults());
    }

    @ParameterizedTest
    @CsvSource({"0%, 0", "100%, 1", "0.5%, 0.005"})
    void sharesAreParsedExactly(String text, double share) {
        assertThat(read("--stop-on-failures", text).pace().stopAbove()).isEqualTo(share);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--rate=50", "--rate=0/s", "--rate=fast", "--stop-on-failures=0.1", "--stop-on-failures=101%"})
    void invalidOptionIsRefused(String option) {
        assertThatThrownBy(() -> read(option)).isInstanceOf(ParameterException.class);
    }

    @Test
    void tooLargeCanaryIsRefused() {
        assertThatThrownBy(() -> read("--canary", "1001").pace())
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("0 to 1000");
    }
}
