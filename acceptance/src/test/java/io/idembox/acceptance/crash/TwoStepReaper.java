// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Looks which leases have run out, and takes them away afterwards, whatever happened in between. */
final class TwoStepReaper extends LeaseDecorator {

    private final InstantSource clock;

    TwoStepReaper(LeaseStore real, InstantSource clock) {
        super(real);
        this.clock = clock;
    }

    @Override
    public List<Reaped> reap(RegisteredConsumer consumer) {
        try {
            List<Expired> expired = look();
            for (Expired lease : expired) {
                takeAway(lease);
            }
            return List.of();
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    private record Expired(UUID token, List<Long> arrivals) {}

    private List<Expired> look() throws SQLException {
        List<Expired> expired = new ArrayList<>();
        try (Transaction tx = steps().begin();
                PreparedStatement query = tx.connection()
                        .prepareStatement("select token, arrivals from idembox_lease where lease_until < ?")) {
            query.setObject(1, clock.instant().atOffset(ZoneOffset.UTC));
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    List<Long> arrivals = new ArrayList<>();
                    for (Object each : (Object[]) rows.getArray(2).getArray()) {
                        arrivals.add(((Number) each).longValue());
                    }
                    expired.add(new Expired(rows.getObject(1, UUID.class), arrivals));
                }
            }
            tx.commit();
        }
        return expired;
    }

    private void takeAway(Expired lease) throws SQLException {
        try (Transaction tx = steps().begin()) {
            try (PreparedStatement end =
                    tx.connection().prepareStatement("delete from idembox_lease where token = ?")) {
                end.setObject(1, lease.token());
                end.executeUpdate();
            }
            for (long arrival : lease.arrivals()) {
                crash(tx.connection(), arrival);
            }
            tx.commit();
        }
    }

    private void crash(Connection connection, long arrival) throws SQLException {
        for (String text : List.of(
                "update idembox_entry set crashes = crashes + 1, state = 'FAILED_RETRYABLE',"
                        + " due_at = timestamp with time zone '2020-01-01 00:00:00+00' where arrival = ?",
                "insert into idembox_attempt (arrival, number, node, started_at, ended_at, outcome, error_kind,"
                        + " error_class, error) select arrival, crashes, 'reaper', due_at, due_at, state, 'TRANSIENT', 'LeaseExpired', ''"
                        + " from idembox_entry where arrival = ?")) {
            try (PreparedStatement statement = connection.prepareStatement(text)) {
                statement.setLong(1, arrival);
                statement.executeUpdate();
            }
        }
    }
}
