// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * One database of a {@link PostgresServer}. Thread-safe.
 *
 * @param jdbcUrl complete: it contains the user, and no password is needed
 */
public record PostgresDatabase(String name, String jdbcUrl) {

    /** Opens a new connection on every call; wrap it in a pool if the test needs one. */
    public DataSource dataSource() {
        var dataSource = new PGSimpleDataSource();
        dataSource.setUrl(jdbcUrl);
        return dataSource;
    }
}
