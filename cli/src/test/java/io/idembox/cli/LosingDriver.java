// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Locale;
import java.util.Properties;
import java.util.UUID;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** A JDBC driver that loses commits of operations, or their answers. Not thread-safe. */
final class LosingDriver implements Driver, AutoCloseable {

    private final String prefix = "jdbc:losing-" + UUID.randomUUID() + ":";
    private int answers;
    private int commits;

    LosingDriver() throws SQLException {
        DriverManager.registerDriver(this);
    }

    /** The URL that connects to another URL through this driver. */
    String to(String url) {
        return prefix + url;
    }

    /** The next commits succeed, but their answers are lost. */
    void loseAnswers(int number) {
        answers = number;
    }

    /** The next commits fail, and their answers are lost too. */
    void loseCommits(int number) {
        commits = number;
    }

    /** Whether all requested losses have happened. */
    boolean hasLost() {
        return answers == 0 && commits == 0;
    }

    @Override
    public @Nullable Connection connect(String url, Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        Connection real = DriverManager.getConnection(url.substring(prefix.length()), info);
        boolean[] operation = new boolean[1];
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("prepareStatement")) {
                        operation[0] |= isOperation((String) args[0]);
                    }
                    boolean lossy = method.getName().equals("commit") && operation[0];
                    operation[0] &= !method.getName().equals("commit");
                    if (lossy && commits > 0) {
                        commits--;
                        throw new SQLException("Lost on the way", "08006");
                    }
                    try {
                        Object answer = method.invoke(real, args);
                        if (lossy && answers > 0) {
                            answers--;
                            throw new SQLException("Lost on the way back", "08006");
                        }
                        return answer;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private static boolean isOperation(String sql) {
        String text = sql.strip().toLowerCase(Locale.ROOT);
        return text.startsWith("insert into") && text.contains("idembox_operation");
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(prefix);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void close() throws SQLException {
        DriverManager.deregisterDriver(this);
    }
}
