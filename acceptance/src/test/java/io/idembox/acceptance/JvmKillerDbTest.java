// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two processes, and a message that ends whichever handles it; whoever ended is started again. */
@Tag("slow")
class JvmKillerDbTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @ParameterizedTest
    @EnumSource
    void whatEndsThreeProcessesIsParkedAndTheOthersAreDoneOnce(JvmKiller.Way way) throws Exception {
        try (TestDatabase database = TestDatabase.Kind.POSTGRESQL.open()) {
            database.run("create table effect (id varchar(100) not null)");
            try (Inbox inbox = Inbox.on(database.dataSource())
                    .createSchema()
                    .consumer(JvmKiller.CONSUMER, way.policy())
                    .start()) {
                way.before(inbox);
            }

            int ended = workUntilSettled(database, way);

            assertThat(ended).as("processes that ended").isEqualTo(way.uncounted() + 3);
            assertThat(database.list("select message_id || ' ' || status || ' ' || reason || ' ' || failures || crashes"
                            + " from idembox_inbox where status <> 'COMPLETED'"))
                    .containsExactly(JvmKiller.KILLER + " PARKED CRASH 03");
            assertThat(database.list("select a.error_class from idembox_attempt a join idembox_entry e"
                            + " on e.arrival = a.arrival order by a.number"))
                    .containsExactly("LeaseExpired", "LeaseExpired", "LeaseExpired");
            assertThat(database.list("select id from effect"))
                    .containsExactlyInAnyOrderElementsOf(JvmKiller.messages().stream()
                            .map(Message::id)
                            .flatMap(id -> id.filter(each -> !each.equals(JvmKiller.KILLER)).stream())
                            .toList());
        }
    }

    /** Two processes at a time; how many of them ended. */
    private static int workUntilSettled(TestDatabase database, JvmKiller.Way way) throws Exception {
        List<ForkedJvm> nodes = new ArrayList<>(List.of(start(database, way), start(database, way)));
        int ended = 0;
        try {
            long begin = System.nanoTime();
            while (!isSettled(database)) {
                assertThat(System.nanoTime() - begin)
                        .as("time, with %s ended and %s", ended, database.list("select status from idembox_inbox"))
                        .isLessThan(PATIENCE.toNanos());
                awaitAnEnd(nodes);
                for (int i = 0; i < nodes.size(); i++) {
                    if (!nodes.get(i).isAlive()) {
                        assertThat(nodes.get(i).waitForExit()).isEqualTo(JvmKiller.EXIT_CODE);
                        ended++;
                        nodes.set(i, start(database, way));
                    }
                }
            }
        } finally {
            nodes.forEach(ForkedJvm::close);
        }
        return ended;
    }

    private static ForkedJvm start(TestDatabase database, JvmKiller.Way way) {
        return ForkedJvm.start(JvmKiller.class, database.jdbcUrl(), way.name());
    }

    private static boolean isSettled(TestDatabase database) {
        return database.count("idembox_inbox where status in ('COMPLETED', 'PARKED')") == JvmKiller.MESSAGES;
    }

    /** Until one of them ends, or it is time to look again. */
    private static void awaitAnEnd(List<ForkedJvm> nodes) throws InterruptedException, ExecutionException {
        try {
            CompletableFuture.anyOf(nodes.stream().map(ForkedJvm::exit).toArray(CompletableFuture[]::new))
                    .get(100, TimeUnit.MILLISECONDS);
        } catch (TimeoutException all) {
            // All of them work.
        }
    }
}
