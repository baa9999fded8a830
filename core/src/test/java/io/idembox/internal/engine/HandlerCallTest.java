// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.BatchHandler;
import java.sql.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HandlerCallTest {

    private final BatchHandler<Object> orders = new Counting();
    private final BatchHandler<Object> bills = new Counting();

    @Nested
    class Grouping {

        @ParameterizedTest
        @CsvSource({
            "'',       ''",
            "s,        0",
            "sss,      0 1 2",
            "o,        0",
            "oooo,     0-3",
            "oob,      0-1 2",
            "obob,     0 1 2 3",
            "oobboo,   0-1 2-3 4-5",
            "osoo,     0 1 2-3",
            "ssoobs,   0 1 2-3 4 5",
        })
        void joinsNeighboursOfOneBatchHandler(String jobs, String expected) {
            List<RecordedMessage> due = IntStream.range(0, jobs.length())
                    .mapToObj(nth -> found(nth, jobs.charAt(nth)))
                    .toList();

            List<HandlerCall> calls = HandlerCall.over(due);

            assertThat(String.join(
                            " ", calls.stream().map(HandlerCallTest::places).toList()))
                    .isEqualTo(expected);
            assertThat(calls.stream().flatMap(call -> call.members().stream())).isEqualTo(due);
        }

        @Test
        void tellsHandlersApartEvenIfTheyAreEqual() {
            assertThat(orders).isEqualTo(bills);
            assertThat(HandlerCall.over(List.of(found(0, 'o'), found(1, 'b')))).hasSize(2);
        }

        private RecordedMessage found(int nth, char job) {
            return Samples.found(Samples.candidate(
                    nth,
                    switch (job) {
                        case 'o' -> new HandlerTask.Bulk(orders, nth);
                        case 'b' -> new HandlerTask.Bulk(bills, nth);
                        default -> Samples.WORK;
                    }));
        }
    }

    @Nested
    class Halving {

        @Test
        void keepsOrderAndLosesNobody() {
            assertThat(call(5).halves()).extracting(HandlerCallTest::places).containsExactly("0-1", "2-4");
            assertThat(call(2).halves()).extracting(HandlerCallTest::places).containsExactly("0", "1");
        }

        @ParameterizedTest
        @ValueSource(ints = {2, 3, 7, 64, 1_000})
        void endsWithEveryMessageAloneAndInOrder(int size) {
            Deque<HandlerCall> open = new ArrayDeque<>(List.of(call(size)));
            List<Integer> alone = new ArrayList<>();

            while (!open.isEmpty()) {
                HandlerCall next = open.pop();
                if (next.isBulk()) {
                    open.push(next.halves().get(1));
                    open.push(next.halves().get(0));
                } else {
                    alone.add(next.members().get(0).incoming().nth());
                }
            }

            assertThat(alone).isEqualTo(IntStream.range(0, size).boxed().toList());
        }

        @Test
        void isForMoreThanOne() {
            assertThat(call(1).isBulk()).isFalse();
            assertThat(call(2).isBulk()).isTrue();
        }

        private HandlerCall call(int size) {
            return new HandlerCall(IntStream.range(0, size)
                    .mapToObj(nth -> Samples.found(Samples.candidate(nth, new HandlerTask.Bulk(orders, nth))))
                    .toList());
        }
    }

    private static String places(HandlerCall call) {
        int first = call.members().get(0).incoming().nth();
        int last = call.members().get(call.members().size() - 1).incoming().nth();
        return first == last ? "" + first : first + "-" + last;
    }

    /** All equal, yet each is a registration of its own. */
    private record Counting() implements BatchHandler<Object> {

        @Override
        public void handle(List<Item<Object>> items, Connection connection) {}
    }
}
