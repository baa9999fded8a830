// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The stream: orders of some hundred accounts, some of them repeated later. The same seed makes the same stream. Each
 * poison order has its own account, because in an ordered consumer it holds the later orders of its key. Immutable.
 */
final class OrderStream {

    static final int ACCOUNTS = 300;

    /** One order in this many fails at its first attempt. */
    private static final int FAILS_ONCE_ONE_IN = 100;

    /** One order in this many is poison, and two more. */
    private static final int POISON_ONE_IN = 2_000;

    /** The distance of a repeated order: right behind the first one, or much later. */
    private static final int NEAR = 20;

    private static final int FAR = 3_000;

    private final List<Order> orders;
    private final List<Order> deliveries;

    /** @param duplicates percentage of orders that are sent twice */
    OrderStream(int messages, int duplicates, long seed) {
        Random random = new Random(seed);
        int poison = messages / POISON_ONE_IN + 2;
        int poisonEvery = Math.max(1, messages / poison);
        int[] numbers = new int[ACCOUNTS];
        List<Order> all = new ArrayList<>(messages);
        List<Order> sent = new ArrayList<>(messages + messages * duplicates / 100);
        for (int nr = 0; nr < messages; nr++) {
            boolean isPoison = nr % poisonEvery == poisonEvery / 2 && nr / poisonEvery < poison;
            Order order = isPoison
                    ? new Order(nr, "poison-" + nr, 1, 100 + random.nextInt(9_900), PlannedOutcome.POISON)
                    : next(nr, random, numbers);
            all.add(order);
            sent.add(order);
            if (random.nextInt(100) < duplicates) {
                int back = random.nextInt(random.nextBoolean() ? NEAR : FAR);
                sent.add(all.get(Math.max(0, nr - back)));
            }
        }
        this.orders = List.copyOf(all);
        this.deliveries = List.copyOf(sent);
    }

    private static Order next(int nr, Random random, int[] numbers) {
        int account = random.nextInt(ACCOUNTS);
        numbers[account]++;
        PlannedOutcome plannedOutcome =
                random.nextInt(FAILS_ONCE_ONE_IN) == 0 ? PlannedOutcome.STUMBLES : PlannedOutcome.GOOD;
        return new Order(nr, "account-" + account, numbers[account], 100 + random.nextInt(9_900), plannedOutcome);
    }

    /** Every order once. */
    List<Order> orders() {
        return orders;
    }

    /** The records of the topic, in this order. */
    List<Order> deliveries() {
        return deliveries;
    }

    int poison() {
        return (int) orders.stream()
                .filter(order -> order.plannedOutcome() == PlannedOutcome.POISON)
                .count();
    }
}
