// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.StoreUnavailableException;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.PartitionOwnership;
import io.idembox.spi.Partitions;
import io.idembox.spi.ReadPosition;
import io.idembox.testkit.ManualClock;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a source learns when it takes a lane after the database went back to an earlier time. */
class RewoundLaneDbTest extends DatabaseTest {

    private static PartitionOwnership take(Life life) {
        return life.receiver.lanes().take("orders", 3);
    }

    private static Partitions.@Nullable SaveResult write(Life life, PartitionOwnership ownership) {
        return write(life, ownership, 7);
    }

    private static Partitions.@Nullable SaveResult write(Life life, PartitionOwnership ownership, long next) {
        return life.receiver
                .lanes()
                .savePositions(Map.of(ownership, new ReadPosition("topic", 0, next)))
                .get(ownership);
    }

    private Life life() {
        return new Life(database, ManualClock.create(), ConsumerPolicy.defaults());
    }

    private List<String> position() {
        return database.list("select coalesce(next_offset, -1) from idembox_partition");
    }

    @Test
    void rewindIsToldUntilAPositionIsWrittenOnTheNewTime() {
        Life life = new Life(database, ManualClock.create(), ConsumerPolicy.defaults());
        life.owners.timeline = "1";
        PartitionOwnership before = take(life);
        assertThat(before.isRewound()).isFalse();
        assertThat(write(life, before)).isEqualTo(Partitions.SaveResult.SAVED);
        assertThat(take(life).isRewound()).isFalse();

        PartitionOwnership held = take(life);
        life.owners.timeline = "2";
        assertThat(write(life, held, 8)).isEqualTo(Partitions.SaveResult.REWOUND);
        assertThat(position()).containsExactly("7");
        assertThat(held.isHeld()).isFalse();
        assertThat(take(life).isRewound()).isTrue();
        // The source takes the lane again when it could not read everything from Kafka the first time.
        PartitionOwnership again = take(life);
        assertThat(again.isRewound()).isTrue();
        assertThat(write(life, again)).isEqualTo(Partitions.SaveResult.SAVED);
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
        PartitionOwnership ownership = take(life);
        assertThat(write(life, ownership, 7)).isEqualTo(Partitions.SaveResult.SAVED);
        assertThat(write(life, ownership, 40)).isEqualTo(Partitions.SaveResult.SAVED);
        database.run("update idembox_partition set " + earlier);
        List<String> found = position();

        assertThat(write(life, ownership, 41)).isEqualTo(Partitions.SaveResult.REWOUND);
        assertThat(ownership.isHeld()).isFalse();
        assertThat(position()).isEqualTo(found);
        PartitionOwnership again = take(life);
        assertThat(again.isRewound()).isTrue();
        assertThat(write(life, again, 8)).isEqualTo(Partitions.SaveResult.SAVED);
        assertThat(take(life).isRewound()).isFalse();
    }

    @Test
    void positionThatWasFoundWhenTheLaneWasTakenIsComparedAsWell() {
        Life life = life();
        write(life, take(life), 40);
        PartitionOwnership ownership = take(life);
        database.run("update idembox_partition set next_offset = 7");
        assertThat(write(life, ownership, 40)).isEqualTo(Partitions.SaveResult.REWOUND);
        assertThat(position()).containsExactly("7");
    }

    @Test
    void idleLaneNoticesAForgottenPosition() {
        Life life = life();
        PartitionOwnership ownership = take(life);
        write(life, ownership, 40);
        assertThat(write(life, ownership, 40)).isEqualTo(Partitions.SaveResult.SAVED);
        database.run("update idembox_partition set next_offset = 7");
        assertThat(write(life, ownership, 40)).isEqualTo(Partitions.SaveResult.REWOUND);
    }

    @Test
    void laneThatAnotherProcessTookIsLostWhateverItsPosition() {
        Life life = life();
        PartitionOwnership ownership = take(life);
        write(life, ownership, 40);
        Life other = life();
        write(other, take(other), 20);
        assertThat(write(life, ownership, 41)).isEqualTo(Partitions.SaveResult.LOST);
        assertThat(take(life).isRewound()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ownWriteWithAnUnknownOutcomeIsNoRewind(boolean committed) {
        Life life = life();
        PartitionOwnership ownership = take(life);
        write(life, ownership, 7);
        life.owners.unknown = committed ? Life.Unknown.COMMITTED : Life.Unknown.ROLLED_BACK;
        assertThatThrownBy(() -> write(life, ownership, 40)).isInstanceOf(StoreUnavailableException.class);
        assertThat(position()).containsExactly(committed ? "40" : "7");
        life.owners.unknown = null;
        assertThat(write(life, ownership, 41)).isEqualTo(Partitions.SaveResult.SAVED);
        database.run("update idembox_partition set next_offset = 40");
        assertThat(write(life, ownership, 41)).isEqualTo(Partitions.SaveResult.REWOUND);
    }

    /** The first write of a lane, and the first one after its topic was created again, change the incarnation as well. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void firstWriteWithAnUnknownOutcomeIsNoRewind(boolean committed) {
        for (String found : List.of("", "update idembox_partition set incarnation = 'earlier topic'")) {
            Life life = life();
            if (!found.isEmpty()) {
                database.run(found);
            }
            PartitionOwnership ownership = take(life);
            life.owners.unknown = committed ? Life.Unknown.COMMITTED : Life.Unknown.ROLLED_BACK;
            assertThatThrownBy(() -> write(life, ownership, 7)).isInstanceOf(StoreUnavailableException.class);
            life.owners.unknown = null;

            assertThat(write(life, ownership, 9)).isEqualTo(Partitions.SaveResult.SAVED);
            assertThat(position()).containsExactly("9");
        }
        Life life = life();
        PartitionOwnership ownership = take(life);
        assertThat(write(life, ownership, 9)).isEqualTo(Partitions.SaveResult.SAVED);
        database.run("update idembox_partition set incarnation = 'earlier topic'");
        assertThat(write(life, ownership, 10)).isEqualTo(Partitions.SaveResult.REWOUND);
    }
}
