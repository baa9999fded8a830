// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A redelivery is answered from the rows of its own message, however many messages are unfinished. */
class RedeliveryReadsDbTest extends DatabaseTest {

    private static final int UNFINISHED = 3_000;
    private static final int REDELIVERIES = 50;

    @Test
    void redeliveriesDoNotReadAllUnfinishedMessagesEvenIfNothingWasEverAnalysed() throws SQLException {
        Assumptions.assumeTrue(isPostgres(), "H2 does not count the rows it reads");
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(1);
        config.setConnectionInitSql("set plan_cache_mode = force_generic_plan");
        try (HikariDataSource pool = new HikariDataSource(config);
                Inbox inbox = Inbox.on(pool)
                        .consumer("billing", ConsumerPolicy.defaults())
                        .start()) {
            // The plans of the session are made now, while no message is unfinished.
            IntStream.range(0, 20).forEach(i -> inbox.handle("billing", message("first"), DatabaseTest::effect));
            inbox.store(
                    "billing",
                    IntStream.range(0, UNFINISHED)
                            .mapToObj(i -> message("m" + i))
                            .toList());
            long before = entriesRead(pool);

            for (int i = 0; i < REDELIVERIES; i++) {
                List<Message> again = List.of(message("m" + i), message("new" + i));
                assertThat(inbox.store("billing", again))
                        .extracting(Receipt::kind)
                        .containsOnly(Receipt.Kind.STORED);
            }

            assertThat(entriesRead(pool) - before).isLessThan(REDELIVERIES * UNFINISHED / 3L);
        }
    }

    /** Asked in the one session of the pool, whose own counts are sent before the next transaction. */
    private long entriesRead(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select pg_stat_force_next_flush()");
        }
        return Long.parseLong(database.one(
                "select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'idembox_entry'"));
    }
}
