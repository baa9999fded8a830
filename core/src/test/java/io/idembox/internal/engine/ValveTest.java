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

class ValveTest {

    private final Valve valve = new Valve(
            new Consumer("billing", "billing", 1, ConsumerPolicy.defaults()),
            InstantSource.system(),
            new Events(List.of()));

    @Test
    void brokersAreToldOnceHoweverManyCausesThereAre() {
        Flow flow = new Flow();
        valve.add(flow);

        valve.close(Valve.Cause.STORE_DOWN, "down");
        valve.close(Valve.Cause.BY_HAND, "lunch");
        valve.look();
        valve.open(Valve.Cause.STORE_DOWN);
        valve.look();
        assertThat(flow.told).containsExactly("pause: down");

        valve.open(Valve.Cause.BY_HAND);
        valve.look();
        assertThat(flow.told).containsExactly("pause: down", "resume");
    }

    @Test
    void oneThatComesDuringAPauseIsToldAtOnce() {
        Flow flow = new Flow();
        valve.close(Valve.Cause.BY_HAND, "lunch");

        valve.add(flow);

        assertThat(flow.told).containsExactly("pause: lunch");
    }

    @Test
    void whatIsOnlyStoredIsBroughtWhileNothingIsHandled() {
        Flow flow = new Flow();
        Valve storing = new Valve(
                new Consumer("billing", "billing", 1, ConsumerPolicy.defaults().mode(Mode.STORED)),
                InstantSource.system(),
                new Events(List.of()));
        storing.add(flow);

        storing.close(Valve.Cause.BY_HAND, "lunch");
        assertThat(flow.told).isEmpty();

        storing.close(Valve.Cause.STORE_DOWN, "down");
        storing.open(Valve.Cause.STORE_DOWN);
        assertThat(flow.told).containsExactly("pause: down", "resume");
    }

    /** Otherwise it would stay paused for good, and all behind it. */
    @Test
    void oneThatThrowsIsToldAgainAndTheOthersDoNotNotice() {
        Flow broken = new Flow();
        Flow other = new Flow();
        valve.add(broken);
        valve.add(other);
        valve.close(Valve.Cause.STORE_DOWN, "down");
        broken.breaks = true;

        valve.open(Valve.Cause.STORE_DOWN);

        assertThat(valve.why()).isEmpty();
        assertThat(other.told).containsExactly("pause: down", "resume");
        valve.look();
        assertThat(broken.told).containsExactly("pause: down");
        broken.breaks = false;
        valve.look();
        assertThat(broken.told).containsExactly("pause: down", "resume");
    }

    @Test
    void aPauseThatFailedIsToldAgainUnlessItIsOver() {
        Flow broken = new Flow();
        broken.breaks = true;
        valve.close(Valve.Cause.STORE_DOWN, "down");

        valve.add(broken);
        broken.breaks = false;
        valve.look();
        assertThat(broken.told).containsExactly("pause: down");

        valve.open(Valve.Cause.STORE_DOWN);
        broken.breaks = true;
        valve.close(Valve.Cause.BY_HAND, "lunch");
        valve.open(Valve.Cause.BY_HAND);
        broken.breaks = false;
        valve.look();
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
