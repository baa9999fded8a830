// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Command;
import io.idembox.admin.InboxAdmin;
import io.idembox.cli.call.CommandEnvironment;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.GlobalOptions;
import io.idembox.cli.call.Invocation;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The driver pauses only when the campaign made no step. */
class CampaignDriverTest {

    private static final Campaign LOST = CampaignsToTell.running(-1, 0);
    private static final Campaign FORBIDDEN = CampaignsToTell.running(-2, 0);

    private final Deque<Campaign> answers = new ArrayDeque<>();
    private final StringWriter output = new StringWriter();
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");
    private int pauses;
    private int calls;

    private static Campaign done() {
        return CampaignsToTell.of(
                Command.REDRIVE, Campaign.State.DONE, new Campaign.Progress(400, 400, 400, 0, 0, 0), null);
    }

    private Campaign drive(boolean terminal, Campaign... campaigns) {
        answers.addAll(List.of(campaigns));
        CommandEnvironment environment = new CommandEnvironment(
                Map.of(),
                new BufferedReader(new StringReader("")),
                new PrintWriter(new StringWriter()),
                new PrintWriter(output),
                new CommandEnvironment.Terminals(terminal, terminal),
                () -> now);
        CampaignDriver campaignDriver =
                new CampaignDriver(new Invocation(new GlobalOptions(), environment), admin(), false, () -> {
                    pauses++;
                    now = now.plusMillis(2_500);
                });
        return campaignDriver.run(CampaignsToTell.running(0, 0));
    }

    private InboxAdmin admin() {
        Campaigns campaigns = (Campaigns) Proxy.newProxyInstance(
                Campaigns.class.getClassLoader(), new Class<?>[] {Campaigns.class}, (proxy, method, args) -> {
                    calls++;
                    Campaign next = answers.size() > 1 ? answers.remove() : answers.element();
                    if (next.equals(LOST)) {
                        throw new StoreUnavailableException(
                                "The database does not answer. Call again with the same operation id.",
                                new StoreUnavailableException("The database does not answer.", new Exception()));
                    }
                    if (next.equals(FORBIDDEN)) {
                        throw new StoreUnavailableException("This login may not.", new SQLException("", "42501"));
                    }
                    return next;
                });
        return (InboxAdmin) Proxy.newProxyInstance(
                InboxAdmin.class.getClassLoader(),
                new Class<?>[] {InboxAdmin.class},
                (proxy, method, args) -> method.getName().equals("paused") ? Optional.empty() : campaigns);
    }

    @Test
    void driverPausesOnlyWithoutProgress() {
        Campaign end = drive(
                false,
                CampaignsToTell.running(10, 10),
                CampaignsToTell.running(10, 7),
                CampaignsToTell.running(10, 0),
                CampaignsToTell.running(210, 200),
                done());

        assertThat(end.state()).isEqualTo(Campaign.State.DONE);
        assertThat(calls).isEqualTo(5);
        assertThat(pauses)
                .as("finished messages do not cause an immediate poll")
                .isEqualTo(2);
        assertThat(output.toString()).as("progress is shown on terminals only").isEmpty();
    }

    @Test
    void terminalRedrawsOneProgressLine() {
        drive(true, CampaignsToTell.running(200, 0), done());

        assertThat(List.of(output.toString().split("\r", -1)))
                .hasSize(4)
                .last()
                .asString()
                .isEqualTo("\u001b[2K[####################] 400 of 400 redriven\n");
    }

    @Test
    void missingPolicyIsReportedOnce() {
        Campaign untouched = CampaignsToTell.running(0, 0);

        drive(false, untouched, untouched, untouched, untouched, done());

        assertThat(output.toString())
                .containsOnlyOnce("Only a node that has the policy of billing can continue")
                .hasLineCount(1);
    }

    @Test
    void lostAnswerIsRetried() {
        assertThat(drive(false, LOST, CampaignsToTell.running(200, 0), LOST, done())
                        .state())
                .isEqualTo(Campaign.State.DONE);
    }

    @Test
    void missingPrivilegeIsNotRetried() {
        assertThatThrownBy(() -> drive(false, FORBIDDEN)).hasMessage("This login may not.");
        assertThat(calls).isEqualTo(1);
    }

    @Test
    void unreachableDatabaseEndsDriverWithAdvice() {
        assertThatThrownBy(() -> drive(false, LOST))
                .isInstanceOfSatisfying(
                        CommandException.class,
                        away -> assertThat(away.exitCode()).isEqualTo(2))
                .hasMessageContaining("idembox operations run c1")
                .hasMessageEndingWith("The database does not answer.");
        assertThat(calls).isEqualTo(10);
    }
}
