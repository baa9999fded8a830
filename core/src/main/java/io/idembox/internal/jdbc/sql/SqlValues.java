// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How a driver takes values for which drivers differ. Thread-safe. */
public interface SqlValues {

    /** The expression that {@code :now} stands for, with one {@code ?}. */
    String now();

    /** Binds the {@code ?} of {@link #now}: the time of a test's clock, or null where the database's own clock is used. */
    void bindNow(PreparedStatement statement, int index) throws SQLException;

    void bindInstant(PreparedStatement statement, int index, @Nullable Instant value) throws SQLException;
}
