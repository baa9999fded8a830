// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TrackTest {

    private final Track track = new Track(5);

    @Test
    void nothingReadIsWhereItBegan() {
        assertThat(track.next()).isEqualTo(5);
        assertThat(track.size()).isZero();
    }

    @Test
    void theLowestThatIsNotDoneHoldsTheRest() {
        track.begun(5);
        track.begun(7);
        track.begun(8);
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
        track.begun(5);
        track.readTo(6);
        track.done(5);
        track.done(5);
        assertThat(track.next()).isEqualTo(6);
    }
}
