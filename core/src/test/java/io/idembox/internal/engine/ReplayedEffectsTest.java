// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Message;
import io.idembox.internal.connection.HandlerSession;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Replay;
import io.idembox.policy.RetryBy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** M21: what is replayed sends nothing and intends nothing, unless the policy allows it; what was left out is counted. */
class ReplayedEffectsTest {

    private static final RegisteredConsumer BILLING = billing(Replay.NO_EFFECTS);
    private static final RegisteredConsumer RECEIPTS =
            new RegisteredConsumer("outbox/receipts", "outbox/receipts", 2, ConsumerPolicy.defaults());
    private static final RegisteredConsumer CHARGES =
            new RegisteredConsumer("billing/charge", "billing/charge", 3, ConsumerPolicy.defaults());

    private static RegisteredConsumer billing(Replay replay) {
        return new RegisteredConsumer(
                "billing", "billing", 1, ConsumerPolicy.defaults().replay(replay));
    }

    private final List<String> asked = new ArrayList<>();
    private final List<Boolean> replays = new ArrayList<>();

    private HandlerRunner workplace(RegisteredConsumer consumer) {
        OutboxWriter outboxWriter = OutboxWriter.closed(Samples.store(asked));
        outboxWriter.open("receipts", RECEIPTS, "/billing");
        outboxWriter.open(BILLING, "charge", CHARGES);
        HandlerRunner.HandlerLifecycle handlerLifecycle = new HandlerRunner.HandlerLifecycle() {
            @Override
            public MessageSteps steps(RecordedMessage recorded, HandlerSession admin) {
                return MessageSteps.refused("it is a test.");
            }
        };
        return new HandlerRunner(
                consumer, Samples.desk(), handlerLifecycle, outboxWriter, new InterruptCounter(), event -> {});
    }

    private void handle(HandlerRunner handlerRunner, int generation) throws Exception {
        RecordedMessage recorded = Samples.found(
                Samples.candidate(0, new HandlerTask.Single(context -> {
                    replays.add(context.isReplay());
                    context.outbox().send("receipts", Message.of(context.effectKey("r"), "Receipt", "{}"));
                    context.intend("charge", "{}");
                })),
                new EntrySnapshot(EntryState.RECEIVED, RetryBy.INBOX, 0, 0, 0, 0, generation, null));
        handlerRunner.run(new HandlerCall(List.of(recorded)));
    }

    @Test
    void whatIsReplayedSendsNothingAndCountsIt() throws Exception {
        HandlerRunner replayed = workplace(BILLING);
        handle(replayed, 1);

        replayed.dispatch(Samples.transaction(new ArrayList<>()), List.of());

        assertThat(asked).isEmpty();
        assertThat(replayed.suppressed()).isEqualTo(2);
        assertThat(replays).containsExactly(true);
    }

    @Test
    void whatIsNotReplayedIsWritten() throws Exception {
        HandlerRunner live = workplace(BILLING);
        handle(live, 0);

        isWritten(live);
        assertThat(replays).containsExactly(false);
    }

    @Test
    void whatMayHappenAgainIsWrittenInAReplayToo() throws Exception {
        HandlerRunner replayed = workplace(billing(Replay.ALLOWED));
        handle(replayed, 1);

        isWritten(replayed);
        assertThat(replays).containsExactly(true);
    }

    private void isWritten(HandlerRunner handlerRunner) {
        assertThatThrownBy(() -> handlerRunner.dispatch(Samples.transaction(new ArrayList<>()), List.of()))
                .isInstanceOf(RuntimeException.class);

        assertThat(asked).containsExactly("outgoing");
        assertThat(handlerRunner.suppressed()).isZero();
    }
}
