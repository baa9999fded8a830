// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/** The settings of a transaction that its handlers can change with {@code SET LOCAL}. Not thread-safe. */
public interface TransactionSettings {

    /** The value that the setting has now; empty when there is no such setting. */
    Optional<String> valueOf(String name) throws SQLException;

    /** Gives settings their values until the transaction ends; the default of the session where a value is empty. */
    void set(Map<String, Optional<String>> values) throws SQLException;
}
