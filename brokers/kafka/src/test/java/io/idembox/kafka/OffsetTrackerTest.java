// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.spi.ReadPosition;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OffsetTrackerTest {

    private final OffsetTracker offsetTracker = new OffsetTracker(5, Optional.empty());

    @Test
    void startsAtTheFirstOffset() {
        assertThat(offsetTracker.next()).isEqualTo(5);
        assertThat(offsetTracker.size()).isZero();
    }

    @Test
    void lowestUnacknowledgedRecordHoldsTheOffset() {
        offsetTracker.received(5, Optional.empty());
        offsetTracker.received(7, Optional.empty());
        offsetTracker.received(8, Optional.empty());
        offsetTracker.readTo(11);
        assertThat(offsetTracker.next()).isEqualTo(5);
        offsetTracker.acknowledged(8);
        assertThat(offsetTracker.next()).isEqualTo(5);
        offsetTracker.acknowledged(5);
        assertThat(offsetTracker.next()).isEqualTo(7);
        offsetTracker.acknowledged(7);
        assertThat(offsetTracker.next()).isEqualTo(11);
        assertThat(offsetTracker.size()).isZero();
    }

    @Test
    void transactionMarkersAreSkipped() {
        offsetTracker.readTo(9);
        assertThat(offsetTracker.next()).isEqualTo(9);
        offsetTracker.readTo(7);
        assertThat(offsetTracker.next()).isEqualTo(9);
    }

    @Test
    void acknowledgingTwiceIsHarmless() {
        offsetTracker.received(5, Optional.empty());
        offsetTracker.readTo(6);
        offsetTracker.acknowledged(5);
        offsetTracker.acknowledged(5);
        assertThat(offsetTracker.next()).isEqualTo(6);
    }

    private static Optional<ReadPosition.Checkpoint> at(int epoch, long offset) {
        return Optional.of(new ReadPosition.Checkpoint(epoch, offset));
    }

    private void begun(int epoch, long... offsets) {
        for (long offset : offsets) {
            offsetTracker.received(offset, Optional.of(epoch));
            offsetTracker.readTo(offset + 1);
        }
    }

    private void done(long... offsets) {
        for (long offset : offsets) {
            offsetTracker.acknowledged(offset);
        }
    }

    @Test
    void epochOfTheLastRecordBeforeThePositionIsKept() {
        begun(1, 5, 6);
        begun(2, 7, 8);
        assertThat(offsetTracker.point()).isEqualTo(new OffsetTracker.Point(5, Optional.empty()));
        done(5);
        assertThat(offsetTracker.point()).isEqualTo(new OffsetTracker.Point(6, at(1, 6)));
        done(6, 8);
        assertThat(offsetTracker.point()).isEqualTo(new OffsetTracker.Point(7, at(1, 7)));
        done(7);
        assertThat(offsetTracker.point()).isEqualTo(new OffsetTracker.Point(9, at(2, 9)));
    }

    @Test
    void checkpointStaysBehindTheLastRecordWhenATransactionEndsAfterIt() {
        begun(1, 5, 6);
        done(5, 6);
        // A later leader may have written the end of the transaction: 9 need not be in epoch 1.
        offsetTracker.readTo(9);
        assertThat(offsetTracker.point()).isEqualTo(new OffsetTracker.Point(9, at(1, 7)));
        begun(4, 12);
        assertThat(offsetTracker.point()).isEqualTo(new OffsetTracker.Point(12, at(1, 7)));
        done(12);
        assertThat(offsetTracker.point()).isEqualTo(new OffsetTracker.Point(13, at(4, 13)));
    }

    @Test
    void checkpointOfTheStartStaysUntilSomethingIsRead() {
        OffsetTracker later = new OffsetTracker(9, at(1, 7));
        assertThat(later.point()).isEqualTo(new OffsetTracker.Point(9, at(1, 7)));
        later.received(9, Optional.of(3));
        later.readTo(10);
        assertThat(later.point()).isEqualTo(new OffsetTracker.Point(9, at(1, 7)));
        later.acknowledged(9);
        assertThat(later.point()).isEqualTo(new OffsetTracker.Point(10, at(3, 10)));
    }

    @Test
    void recordsWithoutAnEpochHaveNoCheckpoint() {
        begun(1, 5);
        offsetTracker.received(6, Optional.empty());
        offsetTracker.readTo(7);
        done(5, 6);
        assertThat(offsetTracker.point()).isEqualTo(new OffsetTracker.Point(7, Optional.empty()));
    }
}
