// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.admin.Status;
import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A relay process that dies or stalls: for which messages a crash is counted. */
class RelayCrashDbTest extends RelayBench {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final ManualClock clock = ManualClock.create();

    private JdbcInboxStore store() {
        return new JdbcInboxStore(
                database.dataSource(),
                isPostgres() ? Database.POSTGRESQL : Database.H2,
                new TableNames(isPostgres() ? "public" : "PUBLIC", "idembox_"),
                new StoreSettings(Duration.ofMillis(200), "relay", clock));
    }

    /** A message of a key is published when the one in front of it is confirmed: those behind were never handed over. */
    @Test
    void messagesBehindTheFirstOfTheirKeyAreChargedNoCrashOfTheirRelay() {
        JdbcInboxStore store = store();
        RegisteredConsumer orders = store.consumer(
                ORDERS,
                ConsumerPolicy.defaults()
                        .mode(Mode.STORED)
                        .recording(Recording.FULL)
                        .ordering(Ordering.HOLD)
                        .retry(RetryPolicy.defaults().by(RetryBy.INBOX)));
        send(order("k", 1), order("k", 2), order("k", 3));

        for (int crash = 1; crash <= LeaseStore.PARKED_AFTER; crash++) {
            List<Lease> leases = store.leases().claim(orders, new LeaseStore.Demand(1, 100, LEASE, 0, true));
            assertThat(leases).hasSize(1);
            List<ClaimedMessage> loaded =
                    store.leases().load(orders, leases.get(0), leases.get(0).alone() ? 0 : 100);
            assertThat(loaded).hasSize(crash == LeaseStore.PARKED_AFTER ? 1 : 3);
            clock.advance(LEASE.plusSeconds(1));
            assertThat(store.leases().reap(orders)).as("crash %s", crash).hasSize(1);
            assertThat(database.list("select crashes from idembox_entry order by arrival"))
                    .as("crash %s", crash)
                    .containsExactly(String.valueOf(crash), "0", "0");
        }

        assertThat(known("k1").status()).isEqualTo(Status.PARKED);
        assertThat(inbox.admin().attempts(known("k1"))).hasSize(LeaseStore.PARKED_AFTER);
        assertThat(inbox.admin().attempts(known("k2"))).isEmpty();
        assertThat(inbox.admin().explain(ORDERS, known("k2").id()).sentences().toString())
                .doesNotContain("went away");
    }
}
