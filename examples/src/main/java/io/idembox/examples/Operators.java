// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.admin.FailureGroup;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Operation;
import io.idembox.admin.Preview;
import io.idembox.admin.Report;
import io.idembox.admin.Status;
import io.idembox.event.InboxEvent;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** Operator commands for parked messages: list them, explain one, redrive some and discard one. */
public final class Operators {

    private Operators() {}

    public static void main(String[] args) throws SQLException, InterruptedException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    static List<String> run(DataSource dataSource) throws SQLException, InterruptedException {
        Sql.execute(dataSource, "create table booking (id text)");
        List<String> told = new ArrayList<>();
        AtomicBoolean bankIsOpen = new AtomicBoolean();
        CountDownLatch completed = new CountDownLatch(2);

        try (Inbox inbox = Inbox.on(dataSource)
                .createSchema()
                .listener(event -> countCompleted(event, completed))
                .start()) {
            Subscription ledger = inbox.subscribe("ledger").on("Booked", String.class, (text, ctx) -> {
                if (!bankIsOpen.get()) {
                    throw HandlerException.park("the bank is closed");
                }
                ctx.later("insert into booking (id) values (?)", ctx.id().id());
            });
            ledger.handleAll(List.of(booked("1"), booked("2"), booked("wrong")));

            InboxAdmin admin = inbox.admin();
            told.add(admin.explain("ledger", new MessageId("/bank", "1")).toString());

            Filter parked = Filter.of("ledger").status(Status.PARKED);
            Preview wrong = admin.preview(parked.id(new MessageId("/bank", "wrong")), 10);
            admin.discard(wrong.refs(), Operation.of("anna", "sent by mistake"));

            List<FailureGroup> worst = admin.failureGroups(parked, 10);
            admin.note("ledger", worst.get(0).id(), "closed on sundays", Operation.of("anna", "asked the bank"));

            bankIsOpen.set(true);
            Preview rest = admin.preview(parked, 100); // shows what matches, and how many in all
            Operation decision = Operation.of("anna", "the bank is open again");
            Report report = admin.redrive(rest.refs(), decision);
            completed.await(30, TimeUnit.SECONDS);

            // Repeated, for example because the answer was lost: nothing happens, and the report is the same.
            Report again = admin.redrive(rest.refs(), decision);
            told.add(report.done() + " redriven, asked again: " + again.done() + ", repeated: " + again.repeated());
        }
        told.addAll(Sql.rows(dataSource, "select message_id, status from idembox_inbox order by arrival"));
        return told;
    }

    private static Message booked(String id) {
        return Message.of(id, "Booked", "{}").from("/bank");
    }

    private static void countCompleted(InboxEvent event, CountDownLatch completed) {
        if (event instanceof InboxEvent.Received received && received.receipt().kind() == Receipt.Kind.COMPLETED) {
            completed.countDown();
        }
    }
}
