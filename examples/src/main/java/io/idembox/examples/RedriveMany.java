// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Subscription;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Command;
import io.idembox.admin.Filter;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Redrives very many parked messages. A canary shows that the cause is not fixed; after the fix the rest is redriven.
 */
public final class RedriveMany {

    private static final int MESSAGES = 500;
    private static final Duration POLITE = Duration.ofMillis(50);

    private RedriveMany() {}

    public static void main(String[] args) throws SQLException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    static List<String> run(DataSource dataSource) throws SQLException {
        Sql.execute(dataSource, "create table booking (id text)");
        AtomicBoolean bankIsOpen = new AtomicBoolean();
        List<String> told = new ArrayList<>();

        try (Inbox inbox = Inbox.on(dataSource).createSchema().start()) {
            Subscription ledger = inbox.subscribe("ledger").on("Booked", String.class, (text, ctx) -> {
                if (!bankIsOpen.get()) {
                    throw HandlerException.park("the bank is closed");
                }
                ctx.later("insert into booking (id) values (?)", ctx.id().id());
            });
            ledger.handleAll(
                    IntStream.range(0, MESSAGES).mapToObj(RedriveMany::booked).toList());
            ledger.start();

            Campaigns campaigns = inbox.admin().campaigns();
            Campaign plan = campaigns.plan(
                    Command.REDRIVE,
                    Filter.of("ledger").status(Status.PARKED),
                    CampaignOptions.defaults().canary(10).perSecond(1_000).stopAbove(0.05),
                    Operation.of("anna", "the bank is open again"));
            campaigns.start(plan.id(), Operation.of("anna", plan.progress().total() + " messages, as planned"));
            told.add(runToEnd(campaigns, plan.id())); // it is not: the canary failed

            bankIsOpen.set(true);
            campaigns.start(plan.id(), Operation.of("anna", "called the bank; now it is"));
            told.add(runToEnd(campaigns, plan.id()));
        }
        told.add("booked: " + Sql.number(dataSource, "select count(*) from booking"));
        return told;
    }

    /** The campaign advances by itself; calling advance speeds it up. */
    private static String runToEnd(Campaigns campaigns, String id) {
        Campaign campaign = campaigns.advance(id);
        while (!campaign.isOver()) {
            LockSupport.parkNanos(POLITE.toNanos());
            campaign = campaigns.advance(id);
        }
        return campaign.state() + " after " + campaign.progress().given() + " of "
                + campaign.progress().total()
                + campaign.noteIfAny().map(note -> ": " + note).orElse("");
    }

    private static Message booked(int number) {
        return Message.of("booking-" + number, "Booked", "{}").from("/bank");
    }
}
