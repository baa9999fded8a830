// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.policy.yaml.PolicyFile;
import org.junit.jupiter.api.Test;

/** What one word does to a consumer, where {@link ConsumerKeys} cannot show it because another key has to be said as well. */
class StrategyDbTest extends DatabaseTest {

    private Inbox open(String keys) {
        return builder()
                .policies(PolicyFile.read("p.yaml", "consumers:\n  billing:\n" + keys.indent(4)))
                .start();
    }

    private static Subscription billing(Inbox node) {
        return node.subscribe("billing").on("OrderPlaced", Payload.class, (payload, context) -> effect(context));
    }

    private static Message version(int version) {
        return message("v" + version).keyed("k").header("version", Integer.toString(version));
    }

    @Test
    void sequencedHoldsWhatComesTooEarly() {
        try (Inbox node = open("""
                strategy: sequenced
                sequence: { number: { header: version }, first: 1 }
                """)) {
            Subscription billing = billing(node);

            assertThat(billing.handle(version(2)).kind()).isEqualTo(Receipt.Kind.STORED);
            assertThat(effects()).isEmpty();
            assertThat(billing.handle(version(1)).kind()).isEqualTo(Receipt.Kind.COMPLETED);
            PolicyBench.awaitThat(() -> effects().size() == 2);
            assertThat(effects()).containsExactly("v1", "v2");
        }
    }

    @Test
    void whatIsSaidBesideAStrategyCountsInstead() {
        try (Inbox node = open("strategy: inbox\nmode: direct\n")) {
            assertThat(billing(node).handle(message("m1")).kind()).isEqualTo(Receipt.Kind.COMPLETED);
        }
        assertThat(database.count("idembox_body")).isEqualTo(1);
    }
}
