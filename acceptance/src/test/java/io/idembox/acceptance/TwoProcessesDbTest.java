// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Two processes with four threads each handle the same ten thousand messages at once. */
class TwoProcessesDbTest {

    private static final int MESSAGES = 10_000;

    @Test
    void everyMessageHasOneEffectAndEveryDuplicateTheStoredResult() {
        try (TestDatabase database = TestDatabase.Kind.POSTGRESQL.open()) {
            database.run("create table effect (id varchar(100) not null)");
            Inbox.on(database.dataSource()).createSchema().start().close();
            List<Map<String, Integer>> seen;
            try (ForkedJvm one = fork(database, 1);
                    ForkedJvm two = fork(database, 2)) {
                seen = Stream.of(one, two).map(TwoProcessesDbTest::figures).toList();
            }

            assertThat(database.count("effect")).isEqualTo(MESSAGES);
            assertThat(database.one("select count(distinct id) from effect")).isEqualTo(String.valueOf(MESSAGES));
            assertThat(sum(seen, "completed")).isEqualTo(MESSAGES);
            assertThat(sum(seen, "duplicates")).isEqualTo(7 * MESSAGES);
            assertThat(sum(seen, "without-result")).isZero();
            assertThat(sum(seen, "repeated")).as("deadlocks").isZero();
            assertThat(database.count("idembox_entry")).isZero();
        }
    }

    private static ForkedJvm fork(TestDatabase database, int seed) {
        return ForkedJvm.start(
                SameMessagesWorker.class, database.jdbcUrl(), String.valueOf(MESSAGES), String.valueOf(seed));
    }

    private static Map<String, Integer> figures(ForkedJvm worker) {
        String line = worker.line();
        assertThat(worker.waitForExit()).isZero();
        return Arrays.stream(line.split(" "))
                .map(pair -> pair.split("="))
                .collect(Collectors.toMap(pair -> pair[0], pair -> Integer.parseInt(pair[1])));
    }

    private static int sum(List<Map<String, Integer>> seen, String figure) {
        return seen.stream().mapToInt(each -> each.get(figure)).sum();
    }
}
