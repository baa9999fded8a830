// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.MessageId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MarkTest {

    @Test
    void marksAreInTheSameOrderWhateverOrderTheMessagesCameIn() {
        List<Candidate> candidates = new ArrayList<>();
        for (int nth = 0; nth < 200; nth++) {
            MessageId previous = nth % 3 == 0 ? id("/old", "x" + (nth * 7 % 200)) : null;
            candidates.add(candidate(nth, id("/s" + nth % 5, "evt-" + (nth * 13 % 200)), previous));
        }
        List<MessageId> expected = ids(Mark.sorted(candidates));
        Random random = new Random(20_261_115);

        for (int i = 0; i < 50; i++) {
            Collections.shuffle(candidates, random);

            assertThat(ids(Mark.sorted(candidates))).isEqualTo(expected);
        }
        assertThat(expected).isSorted().hasSize(267);
    }

    @Test
    void sourceComesBeforeIdAndEachIsComparedByItsCharacters() {
        List<Mark> marks = Mark.sorted(List.of(
                candidate(0, id("b", "1"), null),
                candidate(1, id("a", "é"), null),
                candidate(2, id("a", "z"), null),
                candidate(3, id("a", "Z"), null),
                candidate(4, id("a", "10"), null),
                candidate(5, id("a", "9"), null),
                candidate(6, id("", "zz"), null)));

        assertThat(ids(marks))
                .extracting(MessageId::toString)
                .containsExactly("/zz", "a/10", "a/9", "a/Z", "a/z", "a/é", "b/1");
    }

    @Test
    void aCandidateWithAnOlderIdWantsBoth() {
        Candidate candidate = candidate(7, id("/new", "1"), id("/old", "1"));

        assertThat(Mark.sorted(List.of(candidate)))
                .containsExactly(new Mark(14, id("/new", "1"), candidate), new Mark(15, id("/old", "1"), candidate));
    }

    @Test
    void aCandidateWithoutAnOlderIdWantsOne() {
        Candidate candidate = candidate(7, id("/new", "1"), null);

        assertThat(Mark.sorted(List.of(candidate))).containsExactly(new Mark(14, id("/new", "1"), candidate));
    }

    @Test
    void slotsOfAFullBatchAreUniqueAndFitIntoAnArrivalNumber() {
        List<Candidate> full = new ArrayList<>();
        for (int nth = 0; nth < Mark.BATCH_LIMIT; nth++) {
            full.add(candidate(nth, id("/new", "" + nth), id("/old", "" + nth)));
        }

        assertThat(Mark.sorted(full))
                .hasSize(2 * Mark.BATCH_LIMIT)
                .extracting(Mark::slot)
                .doesNotHaveDuplicates()
                .allMatch(slot -> slot >= 0 && slot < Mark.SLOTS);
    }

    @Test
    void aSlotLeadsBackToItsCandidate() {
        Candidate candidate = candidate(3, id("/new", "1"), id("/old", "1"));

        assertThat(Mark.sorted(List.of(candidate)))
                .extracting(Mark::slot)
                .containsExactly(Mark.slotOf(candidate), Mark.otherSlotOf(candidate));
    }

    private static MessageId id(String source, String id) {
        return new MessageId(source, id);
    }

    private static Candidate candidate(int nth, MessageId id, @Nullable MessageId otherId) {
        return Samples.candidate(nth, id, otherId, Samples.WORK);
    }

    private static List<MessageId> ids(List<Mark> marks) {
        return marks.stream().map(Mark::id).toList();
    }
}
