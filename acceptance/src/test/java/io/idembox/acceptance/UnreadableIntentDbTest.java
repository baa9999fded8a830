// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Receipt;
import io.idembox.admin.Operation;
import io.idembox.event.InboxEvent;
import io.idembox.policy.IntentPolicy;
import org.junit.jupiter.api.Test;

/** An intent whose body is not in the database is parked, and nothing is sent for it. */
class UnreadableIntentDbTest extends IntentBench {

    @Test
    void anIntentWithoutBodyIsParkedAndNotSent() {
        var billing = inbox.subscribe("billing")
                .on("OrderPlaced", String.class, (text, context) -> context.intend("charge", new Charge("acc-1", 500)))
                .intent("charge", Charge.class, provider, quick(IntentPolicy.defaults()));
        billing.handle(message("first"));
        awaitCharges(Receipt.Kind.COMPLETED, 1);
        inbox.admin().pause(CHARGES, Operation.of("anna", "the provider is away"));
        billing.handle(message("a"));
        database.run("delete from idembox_body");

        inbox.admin().resume(CHARGES, Operation.of("anna", "the provider is back"));

        seen.await(event -> event instanceof InboxEvent.AttemptFailed, 1, "parked");
        assertThat(database.list("select state || ' ' || reason || ' ' || releases from idembox_entry"))
                .containsExactly("PARKED BODY_GONE 0");
        assertThat(provider.sent).hasSize(1);
    }
}
