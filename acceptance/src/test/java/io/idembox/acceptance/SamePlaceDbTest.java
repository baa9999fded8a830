// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several messages of one place in a batch: only the effect of the first one makes the others too old. */
class SamePlaceDbTest extends DatabaseTest {

    private static final ConsumerPolicy FROM_ONE = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .sequence(SequencePolicy.by(SequenceNumber.header("version")).startingAt(1));

    private Bench bench(InboxHandler handler) {
        return bench(FROM_ONE, handler);
    }

    private Bench bench(ConsumerPolicy policy, InboxHandler handler) {
        return new Bench(database, "node", ManualClock.create(), new Seen(), policy, handler);
    }

    private static Message version(String key, long version) {
        return message(key + version).keyed(key).header("version", Long.toString(version));
    }

    private List<String> states() {
        return database.list("select message_id || ' ' || status from idembox_inbox order by arrival");
    }

    /** It was skipped and acknowledged because of a message that then failed: without entry, and without effect. */
    @Test
    void aMessageOfAPlaceThatAFailedOneOfItsBatchDidNotTakeIsGivenBack() {
        for (boolean forGood : List.of(false, true)) {
            String key = forGood ? "g" : "r";
            Bench one = bench(context -> {
                if (context.id().id().endsWith("1")) {
                    throw forGood ? new ClassCastException("never") : new IllegalStateException("not yet");
                }
                effect(context);
            });
            Message twin = message(key + "twin").keyed(key).header("version", "1");

            List<Receipt> receipts = one.handle(version(key, 1), twin, version(key, 2));
            assertThat(receipts)
                    .extracting(Receipt::kind)
                    .containsExactly(
                            forGood ? Receipt.Kind.FAILED : Receipt.Kind.STORED, Receipt.Kind.BUSY, Receipt.Kind.BUSY);
            assertThat(receipts.subList(1, 3))
                    .extracting(receipt -> receipt.retryAfter().orElseThrow())
                    .containsOnly(Duration.ofMillis(100));
            assertThat(one.handle(twin)).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
            assertThat(states()).contains(key + "twin WAITING").noneMatch(state -> state.startsWith(key + "2"));
        }
        assertThat(effects()).isEmpty();
    }

    /** Its place was taken in front of the failed one, so the answer stands. */
    @Test
    void aMessageOfAPlaceThatWasTakenInItsBatchIsSkippedAlsoIfALaterOneFails() {
        Bench one = bench(context -> {
            if (context.id().id().equals("a2")) {
                throw new IllegalStateException("not yet");
            }
            effect(context);
        });
        Message twin = message("twin").keyed("a").header("version", "1");

        assertThat(one.handle(version("a", 1), twin, version("a", 2)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.SKIPPED, Receipt.Kind.STORED);
        assertThat(effects()).containsExactly("a1");
    }

    /** The next place was computed in SQL and overflowed: no batch with such a message could be settled. */
    @Test
    void theHighestPlaceThereIsIsSettledAlsoIfTwoMessagesHaveIt() {
        Bench one = bench(FROM_ONE.sequence(SequencePolicy.by(SequenceNumber.header("version"))), DatabaseTest::effect);
        Message twin = message("twin").keyed("a").header("version", Long.toString(Long.MAX_VALUE));
        one.store(version("a", Long.MAX_VALUE), twin, version("b", 1));

        one.work();
        one.work();

        assertThat(states()).allMatch(state -> state.endsWith(" COMPLETED")).hasSize(3);
        assertThat(effects()).containsExactly("a" + Long.MAX_VALUE, "b1");
    }
}
