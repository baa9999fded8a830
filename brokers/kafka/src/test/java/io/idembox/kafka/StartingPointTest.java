// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.kafka.AssignedPartition.Opening;
import io.idembox.kafka.StartingPoint.Finding;
import io.idembox.spi.ReadPosition;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The partition has records 10 to 99; the next offset is 100. The topic's id is A. Reading started at 0. */
class StartingPointTest {

    private static final StartingPoint.Reader BILLING = new StartingPoint.Reader("billing", "billing");
    private static final Opening ASSIGNED = Opening.of(Opening.Cause.ASSIGNED, null);

    private static StartingPoint of(
            @Nullable Long group, @Nullable String database, FirstStart firstStart, OnDataLoss onDataLoss) {
        Optional<KafkaAdminClient.Committed> committed =
                Optional.ofNullable(group).map(StartingPointTest::foreign);
        Optional<ReadPosition> written = Optional.ofNullable(database)
                .map(text -> new ReadPosition(text.substring(0, 1), 0, Long.parseLong(text.substring(1))));
        return StartingPoint.of(known(committed, written, ASSIGNED), firstStart, onDataLoss);
    }

    private static KafkaAdminClient.Committed foreign(long offset) {
        return new KafkaAdminClient.Committed(offset, Optional.empty(), Optional.empty());
    }

    private static KafkaAdminClient.Committed marked(long offset, String metadata) {
        return new KafkaAdminClient.Committed(offset, Optional.of(4), CommitMark.parse(metadata));
    }

    private static StartingPoint.Known known(
            Optional<KafkaAdminClient.Committed> group, Optional<ReadPosition> written, Opening opening) {
        return new StartingPoint.Known(
                BILLING,
                new TopicPartition("orders", 3),
                "A",
                new KafkaAdminClient.OffsetRange(10, 100, Optional.of(4)),
                group,
                written,
                opening);
    }

    private static StartingPoint forgotten(
            KafkaAdminClient.Committed group, FirstStart firstStart, OnDataLoss onDataLoss) {
        return StartingPoint.of(known(Optional.of(group), Optional.empty(), ASSIGNED), firstStart, onDataLoss);
    }

    @ParameterizedTest
    @CsvSource({
        // group, database, start
        "50, A50, 50",
        "40, A50, 40",
        "  , A50, 50",
        "10, A10, 10",
        "100, A100, 100",
    })
    void startsAtTheLowerOfGroupAndDatabase(@Nullable Long group, String database, long offset) {
        for (FirstStart firstStart : FirstStart.values()) {
            assertThat(of(group, database, firstStart, OnDataLoss.STOP))
                    .isEqualTo(new StartingPoint(Finding.NORMAL, new ReadPosition("A", 0, offset), ""));
        }
    }

    @ParameterizedTest
    @CsvSource({"50, FOREIGN_OFFSET", "100, FOREIGN_OFFSET", "10, NORMAL"})
    void offsetOfAnotherApplicationIsWhereReadingBeginsAndIsReportedUnlessItIsTheBeginning(
            long group, Finding finding) {
        for (FirstStart firstStart : FirstStart.values()) {
            assertThat(of(group, null, firstStart, OnDataLoss.STOP))
                    .isEqualTo(new StartingPoint(finding, new ReadPosition("A", group, group), ""));
        }
    }

    @ParameterizedTest
    @EnumSource(FirstStart.class)
    void ownOffsetWithoutAPositionIsReadAgainFromWhereReadingBegan(FirstStart firstStart) {
        StartingPoint point = forgotten(marked(50, CommitMark.format("A", "billing", 20)), firstStart, OnDataLoss.STOP);
        assertThat(point.finding()).isEqualTo(Finding.POSITION_LOST);
        assertThat(point.position()).isEqualTo(new ReadPosition("A", 20, 20));
        assertThat(point.text()).contains("lost its position of orders-3", "committed 50", "read again from 20");
    }

    @Test
    void lostPositionWithDeletedRecordsStopsOrContinues() {
        KafkaAdminClient.Committed group = marked(50, CommitMark.format("A", "billing", 0));
        StartingPoint stopped = forgotten(group, FirstStart.EARLIEST, OnDataLoss.STOP);
        assertThat(stopped.isStopped()).isTrue();
        assertThat(stopped.text()).contains("lost its position", "records 0 to 9", "onDataLoss(GO_ON)");
        assertThat(forgotten(group, FirstStart.EARLIEST, OnDataLoss.GO_ON).position())
                .isEqualTo(new ReadPosition("A", 10, 10));
    }

    @Test
    void firstOffsetOfThisProcessCountsWhenTheMarkIsHigher() {
        ReadPosition before = new ReadPosition("A", 30, 60);
        Opening lost = Opening.of(Opening.Cause.LOST, before);
        assertThat(StartingPoint.of(known(Optional.empty(), Optional.empty(), lost), FirstStart.LATEST, OnDataLoss.STOP)
                        .position())
                .isEqualTo(new ReadPosition("A", 30, 30));
        Optional<KafkaAdminClient.Committed> lower = Optional.of(marked(50, CommitMark.format("A", "billing", 20)));
        assertThat(StartingPoint.of(known(lower, Optional.empty(), lost), FirstStart.LATEST, OnDataLoss.STOP)
                        .position())
                .isEqualTo(new ReadPosition("A", 20, 20));
        Opening another = Opening.of(Opening.Cause.TOPIC_RECREATED, new ReadPosition("B", 30, 60));
        assertThat(StartingPoint.of(
                                known(Optional.empty(), Optional.empty(), another), FirstStart.LATEST, OnDataLoss.STOP)
                        .position())
                .isEqualTo(new ReadPosition("A", 100, 100));
    }

    @Test
    void markOfAnotherVersionNeverSkips() {
        KafkaAdminClient.Committed group = marked(50, "idembox/7 whatever");
        assertThat(forgotten(group, FirstStart.EARLIEST, OnDataLoss.STOP).position())
                .isEqualTo(new ReadPosition("A", 10, 10));
        assertThat(forgotten(group, FirstStart.LATEST, OnDataLoss.GO_ON).isStopped())
                .isTrue();
        assertThat(forgotten(group, FirstStart.NONE, OnDataLoss.GO_ON).text())
                .contains("lost its position", "firstStart(EARLIEST)", "--reset-offsets");
    }

    @Test
    void offsetOfAnotherConsumerStops() {
        StartingPoint point =
                forgotten(marked(50, CommitMark.format("A", "invoicing", 20)), FirstStart.EARLIEST, OnDataLoss.GO_ON);
        assertThat(point.isStopped()).isTrue();
        assertThat(point.text())
                .contains("consumer invoicing", "renamed(\"billing\", \"invoicing\")", "group.id", "--reset-offsets");
    }

    @Test
    void markOfAnotherTopicIsNoMark() {
        for (String consumer : new String[] {"billing", "invoicing"}) {
            StartingPoint point =
                    forgotten(marked(50, CommitMark.format("B", consumer, 70)), FirstStart.EARLIEST, OnDataLoss.STOP);
            assertThat(point.finding()).isEqualTo(Finding.FOREIGN_OFFSET);
            assertThat(point.position().next()).isEqualTo(50);
            assertThat(point.position().first()).isEqualTo(50);
        }
        Optional<KafkaAdminClient.Committed> copied = Optional.of(marked(50, CommitMark.format("B", "billing", 20)));
        assertThat(StartingPoint.of(
                                known(copied, Optional.of(new ReadPosition("A", 30, 50)), ASSIGNED),
                                FirstStart.NONE,
                                OnDataLoss.STOP)
                        .position())
                .isEqualTo(new ReadPosition("A", 30, 50));
    }

    @Test
    void readingNeverBeginsAboveTheOffsetOfTheGroup() {
        KafkaAdminClient.Committed group = marked(50, CommitMark.format("A", "billing", 70));
        assertThat(forgotten(group, FirstStart.EARLIEST, OnDataLoss.STOP).position())
                .isEqualTo(new ReadPosition("A", 50, 50));
        KafkaAdminClient.Committed old = marked(5, "idembox/7 whatever");
        StartingPoint gone = forgotten(old, FirstStart.EARLIEST, OnDataLoss.STOP);
        assertThat(gone.isStopped()).isTrue();
        assertThat(gone.text()).contains("lost its position", "records 5 to 9");
    }

    @ParameterizedTest
    @CsvSource({"payments, POSITION_LOST", "billing, POSITION_LOST", "invoicing, STOPPED"})
    void markOfARenamedConsumerIsItsOwn(String inTheMark, Finding finding) {
        StartingPoint.Known known = new StartingPoint.Known(
                new StartingPoint.Reader("billing", "payments"),
                new TopicPartition("orders", 3),
                "A",
                new KafkaAdminClient.OffsetRange(10, 100, Optional.of(4)),
                Optional.of(marked(50, CommitMark.format("A", inTheMark, 20))),
                Optional.empty(),
                ASSIGNED);
        assertThat(StartingPoint.of(known, FirstStart.NONE, OnDataLoss.STOP).finding())
                .isEqualTo(finding);
    }

    @Test
    void renamedConsumerGoesOnAlthoughItsFormerNameIsInTheMark() {
        Optional<KafkaAdminClient.Committed> group = Optional.of(marked(50, CommitMark.format("A", "invoicing", 20)));
        assertThat(StartingPoint.of(
                        known(group, Optional.of(new ReadPosition("A", 30, 50)), ASSIGNED),
                        FirstStart.NONE,
                        OnDataLoss.STOP))
                .isEqualTo(new StartingPoint(Finding.NORMAL, new ReadPosition("A", 20, 50), ""));
    }

    @ParameterizedTest
    @CsvSource({"40, 40", "5, 10", "0, 10"})
    void cutLogStopsOrContinuesAtTheCut(long cutTo, long offset) {
        for (long end : new long[] {45, 100}) {
            Opening cut = new Opening(Opening.Cause.CUT, cutTo, null, 0, 0);
            StartingPoint.Known known = new StartingPoint.Known(
                    BILLING,
                    new TopicPartition("orders", 3),
                    "A",
                    new KafkaAdminClient.OffsetRange(10, end, Optional.of(5)),
                    Optional.of(foreign(50)),
                    Optional.of(new ReadPosition("A", 0, 50, Optional.of(new ReadPosition.Checkpoint(4, 50)))),
                    cut);
            StartingPoint stopped = StartingPoint.of(known, FirstStart.NONE, OnDataLoss.STOP);
            assertThat(stopped.isStopped()).isTrue();
            assertThat(stopped.text())
                    .contains(
                            "has lost its records from " + cutTo,
                            "until an operator decides",
                            "continues at " + offset);
            assertThat(StartingPoint.of(known, FirstStart.NONE, OnDataLoss.GO_ON)
                            .position())
                    .isEqualTo(new ReadPosition("A", 10, offset));
        }
    }

    @Test
    void cutBeyondThePositionIsNoLoss() {
        StartingPoint.Known known = known(
                Optional.of(foreign(50)),
                Optional.of(new ReadPosition("A", 0, 50)),
                new Opening(Opening.Cause.CUT, 50L, null, 0, 0));
        assertThat(StartingPoint.of(known, FirstStart.NONE, OnDataLoss.STOP))
                .isEqualTo(new StartingPoint(Finding.NORMAL, new ReadPosition("A", 0, 50), ""));
    }

    @ParameterizedTest
    @CsvSource({
        // group, database, its checkpoint, where it begins, what is checked
        "50, 50, 50, 50, 50",
        "50, 50, 45, 50, 45",
        "40, 50, 45, 40, 40",
        "47, 50, 45, 47, 45",
        "50, 50, 9, 50, "
    })
    void epochIsCheckedAtTheLastRecordThatWasRead(
            long group, long database, long checkpoint, long offset, @Nullable Long checked) {
        ReadPosition written =
                new ReadPosition("A", 0, database, Optional.of(new ReadPosition.Checkpoint(4, checkpoint)));
        Optional<ReadPosition.Checkpoint> expected =
                Optional.ofNullable(checked).map(where -> new ReadPosition.Checkpoint(4, where));
        assertThat(StartingPoint.of(
                                known(Optional.of(foreign(group)), Optional.of(written), ASSIGNED),
                                FirstStart.NONE,
                                OnDataLoss.STOP)
                        .position())
                .isEqualTo(new ReadPosition("A", 0, offset, expected));
    }

    @Test
    void logThatIsTooShortStopsAtOnceOrIsCheckedForWhereItWasCut() {
        ReadPosition written = new ReadPosition("A", 0, 120, Optional.of(new ReadPosition.Checkpoint(4, 120)));
        StartingPoint.Known known = known(Optional.of(foreign(120)), Optional.of(written), ASSIGNED);
        StartingPoint stopped = StartingPoint.of(known, FirstStart.NONE, OnDataLoss.STOP);
        assertThat(stopped.isStopped()).isTrue();
        assertThat(stopped.text())
                .contains(
                        "read up to 120, but ends at 100",
                        "until an operator decides",
                        "continues where the log was cut");
        assertThat(StartingPoint.of(known, FirstStart.NONE, OnDataLoss.GO_ON).position())
                .isEqualTo(written);
    }

    @Test
    void laterEpochThanTheLeadersIsDataLoss() {
        ReadPosition written = new ReadPosition("A", 0, 50, Optional.of(new ReadPosition.Checkpoint(7, 50)));
        StartingPoint.Known known = known(Optional.of(foreign(50)), Optional.of(written), ASSIGNED);
        StartingPoint stopped = StartingPoint.of(known, FirstStart.NONE, OnDataLoss.STOP);
        assertThat(stopped.isStopped()).isTrue();
        assertThat(stopped.text())
                .contains("read up to 50 in leader epoch 7", "leader epoch is now 4", "continues at 10");
        assertThat(StartingPoint.of(known, FirstStart.NONE, OnDataLoss.GO_ON).position())
                .isEqualTo(new ReadPosition("A", 10, 10));
    }

    @ParameterizedTest
    @CsvSource({"7, 50, 5, true", "7, 50, 15, false", "4, 50, 5, false", "7, 120, 5, false"})
    void leaderOfAnEarlierEpochIsAskedAgainForAWhileIfItHasAllRecords(
            int epoch, long next, long seconds, boolean waits) {
        ReadPosition written = new ReadPosition("A", 0, next, Optional.of(new ReadPosition.Checkpoint(epoch, next)));
        StartingPoint.Known known = known(Optional.empty(), Optional.of(written), ASSIGNED);
        assertThat(known.waitsForLeader(ASSIGNED.atNanos() + seconds * 1_000_000_000L))
                .isEqualTo(waits);
    }

    @Test
    void shortLogStopsAfterOutOfRange() {
        ReadPosition written = new ReadPosition("A", 0, 120, Optional.of(new ReadPosition.Checkpoint(4, 120)));
        StartingPoint point = StartingPoint.of(
                known(Optional.empty(), Optional.of(written), Opening.of(Opening.Cause.OUT_OF_RANGE, written)),
                FirstStart.NONE,
                OnDataLoss.STOP);
        assertThat(point.isStopped()).isTrue();
        assertThat(point.text()).contains("read up to 120, but ends at 100");
    }

    @ParameterizedTest
    @CsvSource({"60, A50, 50", "100, A10, 10"})
    void databaseBehindTheGroupIsReported(Long group, String database, long offset) {
        StartingPoint point = of(group, database, FirstStart.NONE, OnDataLoss.STOP);
        assertThat(point.finding()).isEqualTo(Finding.DATABASE_BEHIND);
        assertThat(point.position()).isEqualTo(new ReadPosition("A", 0, offset));
        assertThat(point.text()).contains("committed offset " + group).contains("before " + offset);
    }

    @ParameterizedTest
    @CsvSource({"EARLIEST, 10", "LATEST, 100"})
    void newPartitionStartsAsConfigured(FirstStart firstStart, long offset) {
        assertThat(of(null, null, firstStart, OnDataLoss.STOP))
                .isEqualTo(new StartingPoint(Finding.NORMAL, new ReadPosition("A", offset, offset), ""));
    }

    @ParameterizedTest
    @CsvSource({"STOP", "GO_ON"})
    void newPartitionStopsWithoutFirstStart(OnDataLoss onDataLoss) {
        StartingPoint point = of(null, null, FirstStart.NONE, onDataLoss);
        assertThat(point.isStopped()).isTrue();
        assertThat(point.text()).contains("orders-3", "firstStart(EARLIEST)");
    }

    @ParameterizedTest
    @CsvSource({
        // group, database, text
        "5, A5, deleted records 5 to 9 of orders-3 before they were read",
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
    void deletedRecordsStopOrContinueAtTheOldest(@Nullable Long group, @Nullable String database, String words) {
        StartingPoint stopped = of(group, database, FirstStart.LATEST, OnDataLoss.STOP);
        assertThat(stopped.isStopped()).isTrue();
        assertThat(stopped.text()).contains(words).contains("until an operator decides");
        StartingPoint goesOn = of(group, database, FirstStart.LATEST, OnDataLoss.GO_ON);
        assertThat(goesOn.finding()).isEqualTo(Finding.RECORDS_GONE);
        assertThat(goesOn.position()).isEqualTo(new ReadPosition("A", 10, 10));
        assertThat(goesOn.text()).contains(words).contains("continues at 10");
    }
}
