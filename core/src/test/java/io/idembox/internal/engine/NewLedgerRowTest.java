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

class NewLedgerRowTest {

    @Test
    void marksAreInTheSameOrderWhateverOrderTheMessagesCameIn() {
        List<IncomingMessage> incomings = new ArrayList<>();
        for (int nth = 0; nth < 200; nth++) {
            MessageId previous = nth % 3 == 0 ? id("/old", "x" + (nth * 7 % 200)) : null;
            incomings.add(candidate(nth, id("/s" + nth % 5, "evt-" + (nth * 13 % 200)), previous));
        }
        List<MessageId> expected = ids(NewLedgerRow.sorted(incomings));
        Random random = new Random(20_261_115);

        for (int i = 0; i < 50; i++) {
            Collections.shuffle(incomings, random);

            assertThat(ids(NewLedgerRow.sorted(incomings))).isEqualTo(expected);
        }
        assertThat(expected).isSorted().hasSize(267);
    }

    @Test
    void sourceComesBeforeIdAndEachIsComparedByItsCharacters() {
        List<NewLedgerRow> rows = NewLedgerRow.sorted(List.of(
                candidate(0, id("b", "1"), null),
                candidate(1, id("a", "é"), null),
                candidate(2, id("a", "z"), null),
                candidate(3, id("a", "Z"), null),
                candidate(4, id("a", "10"), null),
                candidate(5, id("a", "9"), null),
                candidate(6, id("", "zz"), null)));

        assertThat(ids(rows))
                .extracting(MessageId::toString)
                .containsExactly("/zz", "a/10", "a/9", "a/Z", "a/z", "a/é", "b/1");
    }

    @Test
    void aCandidateWithAnOlderIdWantsBoth() {
        IncomingMessage incoming = candidate(7, id("/new", "1"), id("/old", "1"));

        assertThat(NewLedgerRow.sorted(List.of(incoming)))
                .containsExactly(
                        new NewLedgerRow(14, id("/new", "1"), incoming),
                        new NewLedgerRow(15, id("/old", "1"), incoming));
    }

    @Test
    void aCandidateWithoutAnOlderIdWantsOne() {
        IncomingMessage incoming = candidate(7, id("/new", "1"), null);

        assertThat(NewLedgerRow.sorted(List.of(incoming)))
                .containsExactly(new NewLedgerRow(14, id("/new", "1"), incoming));
    }

    @Test
    void slotsOfAFullBatchAreUniqueAndFitIntoAnArrivalNumber() {
        List<IncomingMessage> full = new ArrayList<>();
        for (int nth = 0; nth < NewLedgerRow.BATCH_LIMIT; nth++) {
            full.add(candidate(nth, id("/new", "" + nth), id("/old", "" + nth)));
        }

        assertThat(NewLedgerRow.sorted(full))
                .hasSize(2 * NewLedgerRow.BATCH_LIMIT)
                .extracting(NewLedgerRow::slot)
                .doesNotHaveDuplicates()
                .allMatch(slot -> slot >= 0 && slot < NewLedgerRow.SLOTS);
    }

    @Test
    void aSlotLeadsBackToItsCandidate() {
        IncomingMessage incoming = candidate(3, id("/new", "1"), id("/old", "1"));

        assertThat(NewLedgerRow.sorted(List.of(incoming)))
                .extracting(NewLedgerRow::slot)
                .containsExactly(NewLedgerRow.slotOf(incoming), NewLedgerRow.otherSlotOf(incoming));
    }

    private static MessageId id(String source, String id) {
        return new MessageId(source, id);
    }

    private static IncomingMessage candidate(int nth, MessageId id, @Nullable MessageId otherId) {
        return Samples.candidate(nth, id, otherId, Samples.WORK);
    }

    private static List<MessageId> ids(List<NewLedgerRow> rows) {
        return rows.stream().map(NewLedgerRow::id).toList();
    }
}
