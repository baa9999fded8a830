// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.InboxConfigurationException;
import io.idembox.InboxException;
import io.idembox.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Borrows connections from the application's DataSource, and refuses one that is inside a transaction of the application: the
 * ledger row would commit or roll back with that transaction, after the delivery was acknowledged, or the inbox would
 * commit what the application has not finished.
 *
 * <p>The check costs no round trip: the driver knows whether a transaction is open, and a pool whose connections are in
 * auto-commit mode returns another one only if the application has bound it to its thread. Thread-safe.
 */
final class Connections {

    static final String FOREIGN_TRANSACTION =
            "The DataSource handed out a connection that is inside a transaction of the application, as Spring does in a"
                    + " @Transactional method. Nothing was handled or stored. The inbox commits a transaction of its own before"
                    + " the delivery is acknowledged. Give it the pool itself, not a DataSource that joins transactions; call it"
                    + " outside of them and write through ctx.connection(), or use handle(connection, ...) to join one.";

    private final DataSource dataSource;
    private final Database database;
    private final StoreSettings.Sessions sessions;

    Connections(DataSource dataSource, Database database, StoreSettings.Sessions sessions) {
        this.dataSource = dataSource;
        this.database = database;
        this.sessions = sessions;
    }

    /** @param autoCommit whether every statement commits, or a transaction of ours begins */
    Connection borrow(boolean autoCommit) {
        try {
            Connection connection = dataSource.getConnection();
            try {
                checkIsFree(connection);
                connection.setAutoCommit(autoCommit);
                return connection;
            } catch (SQLException | RuntimeException unusable) {
                connection.close();
                throw unusable;
            }
        } catch (SQLException error) {
            throw SqlErrors.noConnection(error);
        } catch (InboxException refused) {
            throw refused;
        } catch (RuntimeException unusable) {
            // Pools throw exceptions of their own; all are handled alike.
            throw new StoreUnavailableException(
                    "The data source gave no usable connection. Trying again is safe.", unusable);
        }
    }

    private void checkIsFree(Connection connection) throws SQLException {
        boolean autoCommits = connection.getAutoCommit();
        if ((!autoCommits && sessions.autoCommits()) || OpenTransaction.isOn(connection, database, autoCommits)) {
            throw new InboxConfigurationException(FOREIGN_TRANSACTION);
        }
    }

    /** For the first connection, before the auto-commit mode of the DataSource is known: refuses one inside a transaction. */
    static void checkFirst(Connection first, Database database) throws SQLException {
        if (OpenTransaction.isOn(first, database, first.getAutoCommit())) {
            throw new InboxConfigurationException(FOREIGN_TRANSACTION);
        }
    }
}
