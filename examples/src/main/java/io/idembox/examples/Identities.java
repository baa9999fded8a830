// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Fingerprint;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.MissingId;
import io.idembox.testkit.postgres.PostgresServer;
import java.util.List;
import javax.sql.DataSource;

/** The identity of a message, chosen per consumer, and the receipts when an id is missing or used twice. */
public final class Identities {

    private Identities() {}

    public static void main(String[] args) {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    static List<Receipt> run(DataSource dataSource) {
        IdentityPolicy identity = IdentityPolicy.by(Identity.cloudEvents()
                        .or(Identity.jsonField("/eventId"))
                        .or(Identity.headers("message-id")))
                .missing(MissingId.PARK)
                .fingerprint(Fingerprint.ofBytes());

        try (Inbox inbox = Inbox.on(dataSource)
                .createSchema()
                .consumer("billing", ConsumerPolicy.defaults().identity(identity))
                .start()) {
            Message byField = Message.withoutId(Headers.none(), Payload.json("{\"eventId\":\"e-1\",\"cents\":1}"));
            Message sameIdOtherPayload = byField.payload(Payload.json("{\"eventId\":\"e-1\",\"cents\":2}"));
            Message nobody = Message.withoutId(Headers.none(), Payload.json("{}"));

            return List.of(
                    inbox.handle("billing", byField, ctx -> {}), // COMPLETED
                    inbox.handle("billing", byField, ctx -> {}), // DUPLICATE
                    inbox.handle("billing", sameIdOtherPayload, ctx -> {}), // REFUSED: kept as a conflict
                    inbox.handle("billing", nobody, ctx -> {})); // FAILED: parked without an id
        }
    }
}
