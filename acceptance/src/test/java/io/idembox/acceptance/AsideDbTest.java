// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.internal.engine.Lease;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What goes on beside handlers looks again behind its locks, so it must see what was committed meanwhile. */
class AsideDbTest extends DatabaseTest {

    private final ManualClock clock = ManualClock.create();
    private final List<String> levels = new ArrayList<>();

    @Test
    void everyTransactionIsReadCommittedWhateverThePoolSays() {
        Assumptions.assumeTrue(isPostgres(), "H2 has one level for all that matters here");
        Bench bench = new Bench(
                watched(database.dataSource()),
                false,
                "node",
                clock,
                new Seen(),
                ConsumerPolicy.defaults()
                        .ordering(Ordering.SKIP_PARKED)
                        .sequence(SequencePolicy.by(SequenceNumber.header("place"))
                                .skipGapsAfter(Duration.ofSeconds(1))),
                Bench.jobs(DatabaseTest::effect));
        for (int sequenceNumber : new int[] {1, 3}) {
            bench.store(message("m" + sequenceNumber).keyed("k").header("place", Integer.toString(sequenceNumber)));
            bench.work();
        }
        levels.clear();

        clock.advance(Duration.ofSeconds(2));
        assertThat(bench.gaps().look()).isOne();
        List<Lease> claimed = bench.claim(1, 10);
        bench.leases.renew(List.of(claimed.get(0).token()), Bench.LEASE);
        bench.leases.release(bench.receiver.consumer(), claimed.get(0));
        bench.claim(1, 10);
        clock.advance(Bench.LEASE.plusSeconds(1));
        assertThat(bench.reap()).hasSize(1);
        bench.retention.purge(bench.receiver.consumer(), Duration.ofDays(1), 10);
        bench.retention.purgeKeys(0, 10);

        assertThat(levels).hasSizeGreaterThanOrEqualTo(6).containsOnly("read committed");
    }

    /** Connections of a pool that wants more, which say before each statement what they got. */
    private DataSource watched(DataSource pool) {
        return proxy(DataSource.class, (method, args) -> {
            Object answer = method.invoke(pool, args);
            if (answer instanceof Connection connection) {
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                return watched(connection);
            }
            return answer;
        });
    }

    private Connection watched(Connection connection) {
        return proxy(Connection.class, (method, args) -> {
            if (method.getName().equals("prepareStatement") && !((String) args[0]).startsWith("set transaction")) {
                levels.add(levelOf(connection));
            }
            return method.invoke(connection, args);
        });
    }

    private interface Call {
        Object make(Method method, Object[] args) throws Exception;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            try {
                return call.make(method, args);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }));
    }

    private static String levelOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("show transaction_isolation")) {
            rows.next();
            return rows.getString(1);
        }
    }
}
