// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Lets somebody do something before each connection that is given out. */
interface Doorman {

    /** Whatever it throws is what the caller gets instead of a connection. */
    void beforeConnection() throws SQLException;

    static DataSource at(DataSource real, Doorman doorman) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        doorman.beforeConnection();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
