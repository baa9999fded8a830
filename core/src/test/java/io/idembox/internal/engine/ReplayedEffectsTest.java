// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.internal.guard.HandlerDesk;
import io.idembox.policy.ConsumerPolicy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** M21: what is replayed sends nothing and intends nothing; what was left out is counted. */
class ReplayedEffectsTest {

    private static final Consumer BILLING = new Consumer("billing", "billing", 1, ConsumerPolicy.defaults());
    private static final Consumer RECEIPTS =
            new Consumer("outbox/receipts", "outbox/receipts", 2, ConsumerPolicy.defaults());
    private static final Consumer CHARGES =
            new Consumer("billing/charge", "billing/charge", 3, ConsumerPolicy.defaults());

    private final List<String> asked = new ArrayList<>();
    private final List<Boolean> replays = new ArrayList<>();

    private Workplace workplace(boolean replay) {
        Mailroom mailroom = Mailroom.closed(Samples.store(asked));
        mailroom.open("receipts", RECEIPTS, "/billing");
        mailroom.open(BILLING, "charge", CHARGES);
        Workplace.Host host = new Workplace.Host() {
            @Override
            public Steps steps(Found found, HandlerDesk desk) {
                return Steps.refused("it is a test.");
            }

            @Override
            public boolean isReplay(Found found) {
                return replay;
            }
        };
        return new Workplace(BILLING, Samples.desk(), host, mailroom, event -> {});
    }

    private void handle(Workplace workplace) throws Exception {
        Found found = Samples.found(
                Samples.candidate(0, new Job.Single(context -> {
                    replays.add(context.isReplay());
                    context.outbox().send("receipts", Message.of(context.effectKey("r"), "Receipt", "{}"));
                    context.intend("charge", "{}");
                })),
                null);
        workplace.run(new HandlerCall(List.of(found)));
    }

    @Test
    void whatIsReplayedSendsNothingAndCountsIt() throws Exception {
        Workplace replayed = workplace(true);
        handle(replayed);

        replayed.dispatch(Samples.transaction(new ArrayList<>()), List.of());

        assertThat(asked).isEmpty();
        assertThat(replayed.suppressed()).isEqualTo(2);
        assertThat(replays).containsExactly(true);
    }

    @Test
    void whatIsNotReplayedIsWritten() throws Exception {
        Workplace live = workplace(false);
        handle(live);

        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> live.dispatch(Samples.transaction(new ArrayList<>()), List.of()))
                .isInstanceOf(RuntimeException.class);

        assertThat(asked).containsExactly("outgoing");
        assertThat(live.suppressed()).isZero();
        assertThat(replays).containsExactly(false);
    }
}
