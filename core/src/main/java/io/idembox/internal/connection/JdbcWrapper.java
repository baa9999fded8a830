// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Puts something between a handler and what JDBC gives it. Stateless. */
final class JdbcWrapper {

    private JdbcWrapper() {}

    /** Something of the type that asks whenever it is called; two of them are equal when they are the same. */
    static <T> T as(Class<T> type, InvocationHandler handler) {
        return as(type, "a handler's " + type.getSimpleName(), handler);
    }

    /** The same, printed like something else. */
    static <T> T as(Class<T> type, Object printed, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
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

    /** Calls the real one; what it throws is thrown. */
    static @Nullable Object pass(Object target, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }
}
