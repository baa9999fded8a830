// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Writes down every text that is handed to the database. For one thread. */
final class StatementLog {

    private final List<String> texts = new ArrayList<>();

    DataSource on(DataSource dataSource) {
        return listening(DataSource.class, dataSource);
    }

    /** What was handed over since it was last asked. */
    List<String> take() {
        List<String> taken = List.copyOf(texts);
        texts.clear();
        return taken;
    }

    private <T> T listening(Class<T> type, Object heard) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (arguments != null && arguments.length > 0 && arguments[0] instanceof String text) {
                        texts.add(text);
                    }
                    try {
                        Object answer = method.invoke(heard, arguments);
                        if (answer instanceof Connection && !method.getName().equals("unwrap")) {
                            return listening(Connection.class, answer);
                        }
                        return method.getReturnType() == Statement.class ? listening(Statement.class, answer) : answer;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }));
    }
}
