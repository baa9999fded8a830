// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.admin.AuditStore;
import io.idembox.internal.admin.OperationRow;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The trail on a JDBC database. Thread-safe. */
final class JdbcAuditStore implements AuditStore {

    private final JdbcInboxStore store;
    private final Sql sql;

    JdbcAuditStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    private interface Reading<T> {
        T of(ResultSet rows) throws SQLException;
    }

    private interface Binding {
        void to(Binder binder) throws SQLException;
    }

    @Override
    public List<Line> after(long number, int atMost) {
        return read(AdminStatement.READ_TRAIL, binder -> binder.number(number).number(atMost), rows -> {
            List<Line> lines = new ArrayList<>();
            while (rows.next()) {
                lines.add(new Line(AdminRowMappers.sheet(rows), rows.getString("consumer")));
            }
            return lines;
        });
    }

    @Override
    public OperationRow.Head head() {
        return read(
                AdminStatement.FIND_TRAIL,
                binder -> {},
                rows -> rows.next() ? AdminRowMappers.head(rows) : new OperationRow.Head(0, ""));
    }

    @Override
    public long unsealed() {
        return read(AdminStatement.COUNT_UNSEALED, binder -> {}, rows -> {
            rows.next();
            return rows.getLong("unsealed");
        });
    }

    private <T> T read(AdminStatement query, Binding binding, Reading<T> reading) {
        return store.inTransaction("read the trail of operations", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), query)) {
                binding.to(new Binder(sql, statement));
                try (ResultSet rows = statement.executeQuery()) {
                    return reading.of(rows);
                }
            }
        });
    }
}
