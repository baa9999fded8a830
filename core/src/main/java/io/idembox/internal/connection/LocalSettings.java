// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Takes back what a handler set with {@code SET LOCAL} or {@code set_config(name, value, true)}: for the database such a setting
 * belongs to the transaction, which the handler shares with other messages and with the inbox. The value of a setting is read before the
 * first handler of the transaction changes it. A transaction whose handlers set nothing costs nothing. Not thread-safe.
 */
final class LocalSettings {

    private final TransactionSettings settings;
    private final Map<String, Optional<String>> before = new HashMap<>();
    private final Map<String, Optional<String>> changed = new TreeMap<>();

    LocalSettings(TransactionSettings settings) {
        this.settings = settings;
    }

    /** The handler is about to set these. */
    void change(Set<String> names) throws SQLException {
        for (String name : names) {
            Optional<String> value = before.get(name);
            if (value == null) {
                value = settings.valueOf(name);
                before.put(name, value);
            }
            changed.put(name, value);
        }
    }

    boolean areChanged() {
        return !changed.isEmpty();
    }

    /** The handler has returned, and everything that it wrote is sent. */
    void restore() throws SQLException {
        settings.set(changed);
        changed.clear();
    }

    /** The database rolled back to a savepoint before the handler, and took its settings back with that. */
    void forget() {
        changed.clear();
    }
}
