// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.spi.ReadPosition;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrackTest {

    private final Track track = new Track(5, Optional.empty());

    @Test
    void nothingReadIsWhereItBegan() {
        assertThat(track.next()).isEqualTo(5);
        assertThat(track.size()).isZero();
    }

    @Test
    void theLowestThatIsNotDoneHoldsTheRest() {
        track.begun(5, Optional.empty());
        track.begun(7, Optional.empty());
        track.begun(8, Optional.empty());
        track.readTo(11);
        assertThat(track.next()).isEqualTo(5);
        track.done(8);
        assertThat(track.next()).isEqualTo(5);
        track.done(5);
        assertThat(track.next()).isEqualTo(7);
        track.done(7);
        assertThat(track.next()).isEqualTo(11);
        assertThat(track.size()).isZero();
    }

    @Test
    void marksOfTransactionsAreReadWithoutARecord() {
        track.readTo(9);
        assertThat(track.next()).isEqualTo(9);
        track.readTo(7);
        assertThat(track.next()).isEqualTo(9);
    }

    @Test
    void doneTwiceIsDone() {
        track.begun(5, Optional.empty());
        track.readTo(6);
        track.done(5);
        track.done(5);
        assertThat(track.next()).isEqualTo(6);
    }

    private static Optional<ReadPosition.Checkpoint> at(int epoch, long offset) {
        return Optional.of(new ReadPosition.Checkpoint(epoch, offset));
    }

    private void begun(int epoch, long... offsets) {
        for (long offset : offsets) {
            track.begun(offset, Optional.of(epoch));
            track.readTo(offset + 1);
        }
    }

    private void done(long... offsets) {
        for (long offset : offsets) {
            track.done(offset);
        }
    }

    @Test
    void epochOfTheLastRecordBeforeThePositionIsKept() {
        begun(1, 5, 6);
        begun(2, 7, 8);
        assertThat(track.point()).isEqualTo(new Track.Point(5, Optional.empty()));
        done(5);
        assertThat(track.point()).isEqualTo(new Track.Point(6, at(1, 6)));
        done(6, 8);
        assertThat(track.point()).isEqualTo(new Track.Point(7, at(1, 7)));
        done(7);
        assertThat(track.point()).isEqualTo(new Track.Point(9, at(2, 9)));
    }

    @Test
    void checkpointStaysBehindTheLastRecordWhenATransactionEndsAfterIt() {
        begun(1, 5, 6);
        done(5, 6);
        // A later leader may have written the end of the transaction: 9 need not be in epoch 1.
        track.readTo(9);
        assertThat(track.point()).isEqualTo(new Track.Point(9, at(1, 7)));
        begun(4, 12);
        assertThat(track.point()).isEqualTo(new Track.Point(12, at(1, 7)));
        done(12);
        assertThat(track.point()).isEqualTo(new Track.Point(13, at(4, 13)));
    }

    @Test
    void checkpointOfTheStartStaysUntilSomethingIsRead() {
        Track later = new Track(9, at(1, 7));
        assertThat(later.point()).isEqualTo(new Track.Point(9, at(1, 7)));
        later.begun(9, Optional.of(3));
        later.readTo(10);
        assertThat(later.point()).isEqualTo(new Track.Point(9, at(1, 7)));
        later.done(9);
        assertThat(later.point()).isEqualTo(new Track.Point(10, at(3, 10)));
    }

    @Test
    void recordsWithoutAnEpochHaveNoCheckpoint() {
        begun(1, 5);
        track.begun(6, Optional.empty());
        track.readTo(7);
        done(5, 6);
        assertThat(track.point()).isEqualTo(new Track.Point(7, Optional.empty()));
    }
}
