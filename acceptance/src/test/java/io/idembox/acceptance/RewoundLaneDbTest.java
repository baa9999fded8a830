// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.StoreUnavailableException;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.Lanes;
import io.idembox.spi.Reading;
import io.idembox.spi.Tenure;
import io.idembox.testkit.ManualClock;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a source learns when it takes a lane after the database went back to an earlier time. */
class RewoundLaneDbTest extends DatabaseTest {

    private static Tenure take(Life life) {
        return life.receiver.lanes().take("orders", 3);
    }

    private static Lanes.@Nullable Written write(Life life, Tenure tenure) {
        return write(life, tenure, 7);
    }

    private static Lanes.@Nullable Written write(Life life, Tenure tenure, long next) {
        return life.receiver
                .lanes()
                .reached(Map.of(tenure, new Reading("topic", 0, next)))
                .get(tenure);
    }

    private Life life() {
        return new Life(database, ManualClock.create(), ConsumerPolicy.defaults());
    }

    private List<String> position() {
        return database.list("select coalesce(next_offset, -1) from idembox_owner");
    }

    @Test
    void rewindIsToldUntilAPositionIsWrittenOnTheNewTime() {
        Life life = new Life(database, ManualClock.create(), ConsumerPolicy.defaults());
        life.owners.timeline = "1";
        Tenure before = take(life);
        assertThat(before.isRewound()).isFalse();
        assertThat(write(life, before)).isEqualTo(Lanes.Written.KEPT);
        assertThat(take(life).isRewound()).isFalse();

        Tenure held = take(life);
        life.owners.timeline = "2";
        assertThat(write(life, held, 8)).isEqualTo(Lanes.Written.REWOUND);
        assertThat(position()).containsExactly("7");
        assertThat(held.isHeld()).isFalse();
        assertThat(take(life).isRewound()).isTrue();
        // The source takes the lane again when it could not read everything from Kafka the first time.
        Tenure again = take(life);
        assertThat(again.isRewound()).isTrue();
        assertThat(write(life, again)).isEqualTo(Lanes.Written.KEPT);
        assertThat(take(life).isRewound()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "next_offset = 7",
                "next_offset = 39",
                "next_offset = null, first_offset = null, incarnation = null",
                "incarnation = 'earlier topic'"
            })
    void positionThatTheDatabaseForgotOnTheSameTimelineIsNotOverwritten(String earlier) {
        Life life = life();
        Tenure tenure = take(life);
        assertThat(write(life, tenure, 7)).isEqualTo(Lanes.Written.KEPT);
        assertThat(write(life, tenure, 40)).isEqualTo(Lanes.Written.KEPT);
        database.run("update idembox_owner set " + earlier);
        List<String> found = position();

        assertThat(write(life, tenure, 41)).isEqualTo(Lanes.Written.REWOUND);
        assertThat(tenure.isHeld()).isFalse();
        assertThat(position()).isEqualTo(found);
        Tenure again = take(life);
        assertThat(again.isRewound()).isTrue();
        assertThat(write(life, again, 8)).isEqualTo(Lanes.Written.KEPT);
        assertThat(take(life).isRewound()).isFalse();
    }

    @Test
    void positionThatWasFoundWhenTheLaneWasTakenIsComparedAsWell() {
        Life life = life();
        write(life, take(life), 40);
        Tenure tenure = take(life);
        database.run("update idembox_owner set next_offset = 7");
        assertThat(write(life, tenure, 40)).isEqualTo(Lanes.Written.REWOUND);
        assertThat(position()).containsExactly("7");
    }

    @Test
    void idleLaneNoticesAForgottenPosition() {
        Life life = life();
        Tenure tenure = take(life);
        write(life, tenure, 40);
        assertThat(write(life, tenure, 40)).isEqualTo(Lanes.Written.KEPT);
        database.run("update idembox_owner set next_offset = 7");
        assertThat(write(life, tenure, 40)).isEqualTo(Lanes.Written.REWOUND);
    }

    @Test
    void laneThatAnotherProcessTookIsLostWhateverItsPosition() {
        Life life = life();
        Tenure tenure = take(life);
        write(life, tenure, 40);
        Life other = life();
        write(other, take(other), 20);
        assertThat(write(life, tenure, 41)).isEqualTo(Lanes.Written.LOST);
        assertThat(take(life).isRewound()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ownWriteWithAnUnknownOutcomeIsNoRewind(boolean committed) {
        Life life = life();
        Tenure tenure = take(life);
        write(life, tenure, 7);
        life.owners.unknown = committed ? Life.Unknown.COMMITTED : Life.Unknown.ROLLED_BACK;
        assertThatThrownBy(() -> write(life, tenure, 40)).isInstanceOf(StoreUnavailableException.class);
        assertThat(position()).containsExactly(committed ? "40" : "7");
        life.owners.unknown = null;
        assertThat(write(life, tenure, 41)).isEqualTo(Lanes.Written.KEPT);
        database.run("update idembox_owner set next_offset = 40");
        assertThat(write(life, tenure, 41)).isEqualTo(Lanes.Written.REWOUND);
    }

    /** The first write of a lane, and the first one after its topic was created again, change the incarnation as well. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void firstWriteWithAnUnknownOutcomeIsNoRewind(boolean committed) {
        for (String found : List.of("", "update idembox_owner set incarnation = 'earlier topic'")) {
            Life life = life();
            if (!found.isEmpty()) {
                database.run(found);
            }
            Tenure tenure = take(life);
            life.owners.unknown = committed ? Life.Unknown.COMMITTED : Life.Unknown.ROLLED_BACK;
            assertThatThrownBy(() -> write(life, tenure, 7)).isInstanceOf(StoreUnavailableException.class);
            life.owners.unknown = null;

            assertThat(write(life, tenure, 9)).isEqualTo(Lanes.Written.KEPT);
            assertThat(position()).containsExactly("9");
        }
        Life life = life();
        Tenure tenure = take(life);
        assertThat(write(life, tenure, 9)).isEqualTo(Lanes.Written.KEPT);
        database.run("update idembox_owner set incarnation = 'earlier topic'");
        assertThat(write(life, tenure, 10)).isEqualTo(Lanes.Written.REWOUND);
    }
}
