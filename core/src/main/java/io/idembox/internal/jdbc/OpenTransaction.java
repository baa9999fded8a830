// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Detects whether a connection is inside a transaction: by the driver, or else by the database. Stateless. */
final class OpenTransaction {

    private static final String IDLE = "IDLE";
    private static final String UNKNOWN = "UNKNOWN";

    private OpenTransaction() {}

    /**
     * Whether a transaction is open on the connection.
     *
     * @param autoCommits the auto-commit mode of the connection
     */
    static boolean isOn(Connection connection, Database database, boolean autoCommits) throws SQLException {
        return switch (database) {
            case POSTGRESQL -> {
                String state = stateOf(connection);
                yield state.equals(UNKNOWN) ? !autoCommits && hasQueried(connection) : !state.equals(IDLE);
            }
            // H2 runs in this process: no round trip.
            case H2 -> !autoCommits && hasChanges(connection);
        };
    }

    /** The transaction state that the server reported last to the driver. */
    private static String stateOf(Connection connection) {
        Driver driver = Driver.OF.get(connection.getClass());
        if (driver.state() == null) {
            return UNKNOWN;
        }
        try {
            Object own = connection.unwrap(driver.type());
            return driver.type().isInstance(own) ? String.valueOf(driver.state().invoke(own)) : UNKNOWN;
        } catch (ReflectiveOperationException | SQLException notItsOwn) {
            return UNKNOWN;
        }
    }

    /**
     * Access to pgjdbc by reflection, because core does not depend on it.
     *
     * @param state null when it is another driver
     */
    private record Driver(Class<?> type, @Nullable Method state) {

        static final ClassValue<Driver> OF = new ClassValue<>() {
            @Override
            protected Driver computeValue(Class<?> connection) {
                try {
                    Class<?> type = ofDriver("org.postgresql.core.BaseConnection", connection);
                    return new Driver(type, type.getMethod("getTransactionState"));
                } catch (ReflectiveOperationException | LinkageError otherDriver) {
                    return new Driver(connection, null);
                }
            }
        };
    }

    /** A class of the driver behind a connection, which may be a proxy of another class loader. */
    static Class<?> ofDriver(String name, Class<?> connection) throws ClassNotFoundException {
        try {
            return Class.forName(name, true, connection.getClassLoader());
        } catch (ClassNotFoundException elsewhere) {
            return Class.forName(name, true, OpenTransaction.class.getClassLoader());
        }
    }

    /** For drivers without a transaction state and connections without auto-commit: one round trip to the server. */
    private static boolean hasQueried(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("set transaction not deferrable")) {
            statement.execute();
        } catch (SQLException refused) {
            if ("25001".equals(refused.getSQLState()) || "25P02".equals(refused.getSQLState())) {
                return true;
            }
            throw refused;
        }
        connection.rollback();
        return false;
    }

    private static boolean hasChanges(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select transaction_id()");
                ResultSet rows = statement.executeQuery()) {
            return rows.next() && rows.getString(1) != null;
        }
    }
}
