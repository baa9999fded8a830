// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Changes single methods of an interface of the engine. */
final class Decorated {

    /** Makes the call as it is. */
    interface Call {
        @Nullable
        Object proceed() throws Throwable;
    }

    interface Change {
        @Nullable
        Object apply(String method, @Nullable Object[] args, Call call) throws Throwable;
    }

    private static final @Nullable Object[] NOTHING = {};

    private Decorated() {}

    static <T> T of(Class<T> type, T real, Change change) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, args) -> change.apply(method.getName(), args == null ? NOTHING : args, () -> {
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause() == null ? thrown : thrown.getCause();
                    }
                })));
    }
}
