// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.spi.FlowControl;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PauseControlTest {

    private final PauseControl pauseControl = new PauseControl(
            new RegisteredConsumer("billing", "billing", 1, ConsumerPolicy.defaults()),
            InstantSource.system(),
            new EventPublisher(List.of()));

    @Test
    void brokersAreToldOnceHoweverManyCausesThereAre() {
        Flow flow = new Flow();
        pauseControl.add(flow);

        pauseControl.close(PauseControl.Cause.STORE_DOWN, "down");
        pauseControl.close(PauseControl.Cause.BY_HAND, "lunch");
        pauseControl.look();
        pauseControl.open(PauseControl.Cause.STORE_DOWN);
        pauseControl.look();
        assertThat(flow.told).containsExactly("pause: down");

        pauseControl.open(PauseControl.Cause.BY_HAND);
        pauseControl.look();
        assertThat(flow.told).containsExactly("pause: down", "resume");
    }

    @Test
    void oneThatComesDuringAPauseIsToldAtOnce() {
        Flow flow = new Flow();
        pauseControl.close(PauseControl.Cause.BY_HAND, "lunch");

        pauseControl.add(flow);

        assertThat(flow.told).containsExactly("pause: lunch");
    }

    @Test
    void whatIsOnlyStoredIsBroughtWhileNothingIsHandled() {
        Flow flow = new Flow();
        PauseControl storing = new PauseControl(
                new RegisteredConsumer(
                        "billing", "billing", 1, ConsumerPolicy.defaults().mode(Mode.STORED)),
                InstantSource.system(),
                new EventPublisher(List.of()));
        storing.add(flow);

        storing.close(PauseControl.Cause.BY_HAND, "lunch");
        assertThat(flow.told).isEmpty();

        storing.close(PauseControl.Cause.STORE_DOWN, "down");
        storing.open(PauseControl.Cause.STORE_DOWN);
        assertThat(flow.told).containsExactly("pause: down", "resume");
    }

    /** Otherwise it would stay paused for good, and all behind it. */
    @Test
    void oneThatThrowsIsToldAgainAndTheOthersDoNotNotice() {
        Flow broken = new Flow();
        Flow other = new Flow();
        pauseControl.add(broken);
        pauseControl.add(other);
        pauseControl.close(PauseControl.Cause.STORE_DOWN, "down");
        broken.breaks = true;

        pauseControl.open(PauseControl.Cause.STORE_DOWN);

        assertThat(pauseControl.why()).isEmpty();
        assertThat(other.told).containsExactly("pause: down", "resume");
        pauseControl.look();
        assertThat(broken.told).containsExactly("pause: down");
        broken.breaks = false;
        pauseControl.look();
        assertThat(broken.told).containsExactly("pause: down", "resume");
    }

    @Test
    void aPauseThatFailedIsToldAgainUnlessItIsOver() {
        Flow broken = new Flow();
        broken.breaks = true;
        pauseControl.close(PauseControl.Cause.STORE_DOWN, "down");

        pauseControl.add(broken);
        broken.breaks = false;
        pauseControl.look();
        assertThat(broken.told).containsExactly("pause: down");

        pauseControl.open(PauseControl.Cause.STORE_DOWN);
        broken.breaks = true;
        pauseControl.close(PauseControl.Cause.BY_HAND, "lunch");
        pauseControl.open(PauseControl.Cause.BY_HAND);
        broken.breaks = false;
        pauseControl.look();
        assertThat(broken.told).containsExactly("pause: down", "resume");
    }

    /** What a broker was told. */
    private static final class Flow implements FlowControl {

        private final List<String> told = new ArrayList<>();
        private boolean breaks;

        @Override
        public void pause(String why) {
            tell("pause: " + why);
        }

        @Override
        public void resume() {
            tell("resume");
        }

        private void tell(String what) {
            if (breaks) {
                throw new IllegalStateException("the broker is away");
            }
            told.add(what);
        }
    }
}
