// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Intercepts the calls to a connection, a statement or another JDBC interface. Stateless. */
public final class JdbcProxy {

    private JdbcProxy() {}

    /**
     * Creates a proxy that is equal to itself only. It uses this class loader, because the driver's may be unknown;
     * this one sees the PostgreSQL driver, whose interfaces some code looks for.
     *
     * @param printed its {@code toString()} is the proxy's
     * @param handler called for all methods but those of {@link Object}
     */
    public static <T> T of(Class<T> type, Object printed, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(
                JdbcProxy.class.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return switch (method.getName()) {
                            case "equals" -> args != null && self == args[0];
                            case "hashCode" -> System.identityHashCode(self);
                            default -> printed.toString();
                        };
                    }
                    return handler.invoke(self, method, args);
                }));
    }

    /** Makes the intercepted call on the real object and throws its exceptions. */
    public static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }
}
