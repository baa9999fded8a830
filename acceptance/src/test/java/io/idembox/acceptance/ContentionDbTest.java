// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What happens when transactions get into each other's way. */
class ContentionDbTest extends DatabaseTest {

    @Test
    void aDeadlockIsRunAgainAndNobodyPays() throws Exception {
        Assumptions.assumeTrue(isPostgres(), "H2 has no deadlock detection to speak of");
        database.run(
                "create table account (id int primary key, cents int)", "insert into account values (1, 0), (2, 0)");
        CyclicBarrier bothHoldOne = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<Receipt> up = threads.submit(() -> transfer("up", 1, 2, bothHoldOne));
            Future<Receipt> down = threads.submit(() -> transfer("down", 2, 1, bothHoldOne));

            assertThat(up.get(60, TimeUnit.SECONDS).kind()).isEqualTo(Receipt.Kind.COMPLETED);
            assertThat(down.get(60, TimeUnit.SECONDS).kind()).isEqualTo(Receipt.Kind.COMPLETED);
        } finally {
            threads.shutdownNow();
        }
        assertThat(events)
                .anyMatch(event -> event instanceof InboxEvent.BatchRetried repeated
                        && repeated.sqlState().equals("40P01"));
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(database.count("idembox_attempt")).isZero();
        assertThat(database.list("select cents from account order by id")).containsExactly("2", "2");
    }

    private Receipt transfer(String id, int first, int second, CyclicBarrier barrier) {
        boolean[] met = new boolean[1];
        return inbox.handle("billing", message(id), context -> {
            execute(context, "update account set cents = cents + 1 where id = " + first);
            if (!met[0]) {
                met[0] = true;
                barrier.await(30, TimeUnit.SECONDS);
            }
            execute(context, "update account set cents = cents + 1 where id = " + second);
        });
    }

    @Test
    void theSameBatchOnFourThreadsHasEveryEffectOnce() throws Exception {
        List<Message> messages =
                IntStream.range(0, 200).mapToObj(i -> message("m" + i)).toList();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> results = IntStream.range(0, 4)
                    .mapToObj(seed -> threads.submit(() -> deliverUntilAcknowledged(messages, seed)))
                    .toList();
            for (Future<Integer> result : results) {
                assertThat(result.get(120, TimeUnit.SECONDS)).isEqualTo(messages.size());
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(database.count("effect")).isEqualTo(messages.size());
        assertThat(database.one("select count(distinct id) from effect")).isEqualTo("200");
        assertThat(database.count("idembox_entry")).isZero();
    }

    private int deliverUntilAcknowledged(List<Message> messages, int seed) {
        var shuffled = new ArrayList<>(messages);
        Collections.shuffle(shuffled, new Random(seed));
        int acknowledged = 0;
        for (int from = 0; from < shuffled.size(); from += 20) {
            List<Message> open = shuffled.subList(from, from + 20);
            for (int round = 0; !open.isEmpty() && round < 500; round++) {
                List<Receipt> receipts = inbox.handleAll("billing", open, DatabaseTest::effect);
                List<Message> again = new ArrayList<>();
                for (int i = 0; i < open.size(); i++) {
                    if (receipts.get(i).acknowledges()) {
                        acknowledged++;
                    } else {
                        again.add(open.get(i));
                    }
                }
                open = again;
            }
        }
        return acknowledged;
    }

    @Test
    void threeOutagesInARowStopTheBatchAndNobodyPays() {
        List<Message> messages =
                IntStream.range(0, 10).mapToObj(i -> message("m" + i)).toList();

        List<Receipt> receipts = inbox.handleAll("billing", messages, context -> {
            if (context.id().id().compareTo("m2") >= 0) {
                throw new UncheckedIOException(new ConnectException("connection refused"));
            }
            effect(context);
        });

        assertThat(receipts.subList(0, 2)).allMatch(each -> each.kind() == Receipt.Kind.COMPLETED);
        assertThat(receipts.subList(2, 10)).allMatch(each -> each.kind() == Receipt.Kind.BUSY);
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(database.count("idembox_ledger")).isEqualTo(2);
        assertThat(inbox.handleAll("billing", messages, DatabaseTest::effect).subList(2, 10))
                .allMatch(each -> each.kind() == Receipt.Kind.COMPLETED);
    }
}
