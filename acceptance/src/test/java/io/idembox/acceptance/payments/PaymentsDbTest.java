// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One scenario, few payments and few kills; {@code ./acceptance/payments} has all of them. */
@Tag("slow")
class PaymentsDbTest {

    @ParameterizedTest
    @EnumSource(names = "RECONCILE")
    void underKillsAndPausesEachPaymentIsChargedAsThePolicySays(Scenario scenario) throws SQLException {
        Options options =
                Options.parse(List.of("--scenario=" + scenario, "--payments=160", "--kills=3", "--freezes=1"));

        Result result = PaymentsRun.run(options, PostgresServer.shared());

        assertThat(result.well()).as(result.toString()).isTrue();
        assertThat(result.doubled()).isZero();
        assertThat(result.missing()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = "FRESH_KEYS")
    void sendersAsTheyMustNotBeAreCaught(Manner broken) throws SQLException {
        Options options = Options.parse(List.of("--broken=" + broken, "--payments=100", "--kills=0", "--freezes=0"));

        Result result = PaymentsRun.run(options, PostgresServer.shared());

        assertThat(result.well()).isFalse();
        assertThat(PaymentsRun.isWell(options, result)).as(result.toString()).isTrue();
    }
}
