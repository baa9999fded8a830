// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Message;
import io.idembox.internal.guard.HandlerDesk;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Replay;
import io.idembox.policy.RetryBy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** M21: what is replayed sends nothing and intends nothing, unless the policy allows it; what was left out is counted. */
class ReplayedEffectsTest {

    private static final Consumer BILLING = billing(Replay.NO_EFFECTS);
    private static final Consumer RECEIPTS =
            new Consumer("outbox/receipts", "outbox/receipts", 2, ConsumerPolicy.defaults());
    private static final Consumer CHARGES =
            new Consumer("billing/charge", "billing/charge", 3, ConsumerPolicy.defaults());

    private static Consumer billing(Replay replay) {
        return new Consumer("billing", "billing", 1, ConsumerPolicy.defaults().replay(replay));
    }

    private final List<String> asked = new ArrayList<>();
    private final List<Boolean> replays = new ArrayList<>();

    private Workplace workplace(Consumer consumer) {
        Mailroom mailroom = Mailroom.closed(Samples.store(asked));
        mailroom.open("receipts", RECEIPTS, "/billing");
        mailroom.open(BILLING, "charge", CHARGES);
        Workplace.Host host = new Workplace.Host() {
            @Override
            public Steps steps(Found found, HandlerDesk desk) {
                return Steps.refused("it is a test.");
            }
        };
        return new Workplace(consumer, Samples.desk(), host, mailroom, new Interrupts(), event -> {});
    }

    private void handle(Workplace workplace, int generation) throws Exception {
        Found found = Samples.found(
                Samples.candidate(0, new Job.Single(context -> {
                    replays.add(context.isReplay());
                    context.outbox().send("receipts", Message.of(context.effectKey("r"), "Receipt", "{}"));
                    context.intend("charge", "{}");
                })),
                new Claim(EntryState.RECEIVED, RetryBy.INBOX, 0, 0, 0, 0, generation, null));
        workplace.run(new HandlerCall(List.of(found)));
    }

    @Test
    void whatIsReplayedSendsNothingAndCountsIt() throws Exception {
        Workplace replayed = workplace(BILLING);
        handle(replayed, 1);

        replayed.dispatch(Samples.transaction(new ArrayList<>()), List.of());

        assertThat(asked).isEmpty();
        assertThat(replayed.suppressed()).isEqualTo(2);
        assertThat(replays).containsExactly(true);
    }

    @Test
    void whatIsNotReplayedIsWritten() throws Exception {
        Workplace live = workplace(BILLING);
        handle(live, 0);

        isWritten(live);
        assertThat(replays).containsExactly(false);
    }

    @Test
    void whatMayHappenAgainIsWrittenInAReplayToo() throws Exception {
        Workplace replayed = workplace(billing(Replay.ALLOWED));
        handle(replayed, 1);

        isWritten(replayed);
        assertThat(replays).containsExactly(true);
    }

    private void isWritten(Workplace workplace) {
        assertThatThrownBy(() -> workplace.dispatch(Samples.transaction(new ArrayList<>()), List.of()))
                .isInstanceOf(RuntimeException.class);

        assertThat(asked).containsExactly("outgoing");
        assertThat(workplace.suppressed()).isZero();
    }
}
