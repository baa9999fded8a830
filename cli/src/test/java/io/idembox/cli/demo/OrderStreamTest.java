// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrderStreamTest {

    @Test
    void theSameSeedMakesTheSameStream() {
        assertThat(new OrderStream(3_000, 20, 7).deliveries()).isEqualTo(new OrderStream(3_000, 20, 7).deliveries());
        assertThat(new OrderStream(3_000, 20, 7).deliveries()).isNotEqualTo(new OrderStream(3_000, 20, 8).deliveries());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 600, 20_000})
    void ordersAreInSequenceAndSomeAreRepeated(int messages) {
        OrderStream stream = new OrderStream(messages, 20, 1);
        List<Order> orders = stream.orders();
        assertThat(orders).hasSize(messages);
        Set<String> seen = new HashSet<>();
        Map<String, Integer> last = new HashMap<>();
        for (Order order : stream.deliveries()) {
            if (seen.add(order.id())) {
                assertThat(order.number())
                        .as("position of %s in %s", order.id(), order.account())
                        .isEqualTo(last.merge(order.account(), 1, Integer::sum));
            }
        }
        assertThat(seen).hasSize(messages);
    }

    @Test
    void aFifthIsSentTwice() {
        OrderStream stream = new OrderStream(20_000, 20, 1);
        assertThat(stream.deliveries().size() - 20_000).isBetween(3_700, 4_300);
        assertThat(new OrderStream(1_000, 0, 1).deliveries()).hasSize(1_000);
        assertThat(new OrderStream(1_000, 100, 1).deliveries()).hasSize(2_000);
    }

    @Test
    void someFailOnceAndPoisonHasItsOwnKey() {
        OrderStream stream = new OrderStream(20_000, 20, 1);
        assertThat(stream.poison()).isEqualTo(12);
        assertThat(stream.orders().stream()
                        .filter(order -> order.plannedOutcome() == PlannedOutcome.STUMBLES)
                        .count())
                .isBetween(140L, 260L);
        Map<String, Integer> perAccount = new HashMap<>();
        stream.orders().forEach(order -> perAccount.merge(order.account(), 1, Integer::sum));
        assertThat(stream.orders())
                .filteredOn(order -> order.plannedOutcome() == PlannedOutcome.POISON)
                .allSatisfy(order -> assertThat(perAccount.get(order.account())).isEqualTo(1));
    }
}
