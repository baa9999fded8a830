// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.spi.Reading;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The partition has the records from 10 to 99; 100 will be the next. Its topic's id is A. */
class StartingPointTest {

    private static StartingPoint of(
            @Nullable Long group, @Nullable String database, FirstStart firstStart, WhenGone whenGone) {
        Optional<Reading> written = Optional.ofNullable(database)
                .map(text -> new Reading(text.substring(0, 1), Long.parseLong(text.substring(1))));
        return StartingPoint.of(known(group, written, null), firstStart, whenGone);
    }

    private static StartingPoint.Known known(@Nullable Long group, Optional<Reading> written, @Nullable Long cutTo) {
        return new StartingPoint.Known(
                new TopicPartition("orders", 3),
                "A",
                10,
                100,
                Optional.ofNullable(group),
                written,
                Optional.ofNullable(cutTo));
    }

    @ParameterizedTest
    @CsvSource({
        // group, database, where it begins
        "50, A50, 50",
        "40, A50, 40",
        "50,    , 50",
        "  , A50, 50",
        "10, A10, 10",
        "100, A100, 100",
    })
    void withTheLowerOfWhatTheGroupAndTheDatabaseSay(@Nullable Long group, @Nullable String database, long offset) {
        for (FirstStart firstStart : FirstStart.values()) {
            assertThat(of(group, database, firstStart, WhenGone.STOP)).isEqualTo(new StartingPoint(offset, null, null));
        }
    }

    @ParameterizedTest
    @CsvSource({"40, 40", "5, 10"})
    void whatKafkaHasLostAndWrittenAnewIsReadFromThere(long cutTo, long offset) {
        StartingPoint.Known known = known(50L, Optional.of(new Reading("A", 50)), cutTo);
        assertThat(StartingPoint.of(known, FirstStart.NONE, WhenGone.STOP).stop())
                .contains("has lost it from " + cutTo, "until somebody decides");
        assertThat(StartingPoint.of(known, FirstStart.NONE, WhenGone.GO_ON).offset())
                .isEqualTo(offset);
    }

    @Test
    void whatKafkaHasLostBeyondWhatWasReadIsNoLoss() {
        StartingPoint.Known known = known(50L, Optional.of(new Reading("A", 50)), 50L);
        assertThat(StartingPoint.of(known, FirstStart.NONE, WhenGone.STOP))
                .isEqualTo(new StartingPoint(50, null, null));
    }

    @ParameterizedTest
    @CsvSource({"60, A50, 50", "100, A10, 10"})
    void aDatabaseThatIsBehindIsSaid(Long group, String database, long offset) {
        StartingPoint point = of(group, database, FirstStart.NONE, WhenGone.STOP);
        assertThat(point.offset()).isEqualTo(offset);
        assertThat(point.stop()).isNull();
        assertThat(point.remark()).contains("committed " + group).contains("before " + offset);
    }

    @ParameterizedTest
    @CsvSource({"EARLIEST, 10", "LATEST, 100"})
    void whatWasNeverReadBeginsAsChosen(FirstStart firstStart, long offset) {
        assertThat(of(null, null, firstStart, WhenGone.STOP)).isEqualTo(new StartingPoint(offset, null, null));
    }

    @ParameterizedTest
    @CsvSource({"STOP", "GO_ON"})
    void whatWasNeverReadAndNobodyChoseIsNotRead(WhenGone whenGone) {
        assertThat(of(null, null, FirstStart.NONE, whenGone).stop()).contains("orders-3", "firstStart(EARLIEST)");
    }

    @ParameterizedTest
    @CsvSource({
        // group, database, what is said
        "5, A5, records 5 to 9 of orders-3 are gone",
        "5, A50, records 5 to 9",
        "50, A5, records 5 to 9",
        "5,, records 5 to 9",
        ", A9, records 9 to 9",
        "101, A101, read up to 101",
        "101,, Kafka has lost records",
        "50, B50, was deleted and created again",
        ", B50, its id is A",
        "5, B5, was deleted and created again"
    })
    void whatIsGoneStopsOrGoesOnWithTheOldestThereIs(@Nullable Long group, @Nullable String database, String words) {
        StartingPoint stopped = of(group, database, FirstStart.LATEST, WhenGone.STOP);
        assertThat(stopped.stop()).contains(words).contains("until somebody decides");
        StartingPoint goesOn = of(group, database, FirstStart.LATEST, WhenGone.GO_ON);
        assertThat(goesOn.stop()).isNull();
        assertThat(goesOn.offset()).isEqualTo(10);
        assertThat(goesOn.remark()).contains(words).contains("goes on at 10");
    }
}
