// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the first SQLException that was not undone. Rolling back to a savepoint of the handler's own undoes what
 * came after that savepoint, and nothing else does: a handler that swallows an error does not get its half effect
 * committed. Not thread-safe.
 */
final class UnresolvedErrors {

    private final IdentityHashMap<Savepoint, Integer> savepoints = new IdentityHashMap<>();
    private int clock;
    private int since;
    private @Nullable SQLException unresolved;

    void met(SQLException error) {
        if (unresolved == null) {
            unresolved = error;
            since = ++clock;
        }
    }

    void saved(Savepoint savepoint) {
        savepoints.put(savepoint, ++clock);
    }

    void rolledBackTo(Savepoint savepoint) {
        Integer at = savepoints.get(savepoint);
        if (at != null && at < since) {
            unresolved = null;
        }
    }

    @Nullable
    SQLException unresolved() {
        return unresolved;
    }

    void clear() {
        unresolved = null;
        savepoints.clear();
    }
}
