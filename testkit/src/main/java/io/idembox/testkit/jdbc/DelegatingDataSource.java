// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.jdbc;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A DataSource around another one. Subclasses return the connections; all other calls are delegated. */
public abstract class DelegatingDataSource implements DataSource {

    private final DataSource real;

    protected DelegatingDataSource(DataSource real) {
        this.real = real;
    }

    /** The DataSource that the calls are delegated to. */
    protected final DataSource real() {
        return real;
    }

    @Override
    public final PrintWriter getLogWriter() throws SQLException {
        return real.getLogWriter();
    }

    @Override
    public final void setLogWriter(PrintWriter out) throws SQLException {
        real.setLogWriter(out);
    }

    @Override
    public final void setLoginTimeout(int seconds) throws SQLException {
        real.setLoginTimeout(seconds);
    }

    @Override
    public final int getLoginTimeout() throws SQLException {
        return real.getLoginTimeout();
    }

    @Override
    public final Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return real.getParentLogger();
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this) ? type.cast(this) : real.unwrap(type);
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || real.isWrapperFor(type);
    }
}
