// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import io.idembox.Inbox;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Proxy;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a call comes from: the nearest frames of Idembox, and whether user code, which is the handler, lies
 * between them and the database. Thread-safe.
 */
final class CallSites {

    static final String HANDLER = "handler";

    private static final int FRAMES = 3;
    private static final String PRODUCT = "io.idembox.";
    private static final String GUARD = "io.idembox.internal.connection.";
    private static final List<String> INFRASTRUCTURE =
            List.of("com.zaxxer.hikari.", "org.postgresql.", "org.h2.", "io.idembox.internal.jdbc.sql.");
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final @Nullable String CORE = sourceOf(Inbox.class);
    private static final @Nullable String KIT = sourceOf(CallSites.class);

    private CallSites() {}

    static String here() {
        return WALKER.walk(CallSites::describe);
    }

    private static String describe(Stream<StackFrame> stack) {
        List<String> site = new ArrayList<>();
        boolean handler = false;
        int product = 0;
        for (StackFrame frame : (Iterable<StackFrame>) stack::iterator) {
            Class<?> type = frame.getDeclaringClass();
            if (isInfrastructure(type)) {
                continue;
            }
            if (isProduct(type)) {
                site.add(name(frame));
                product += type.getName().startsWith(GUARD) ? 0 : 1;
            } else if (product == 0 && !handler) {
                // The guard's own frames lie between the handler and the database; report the handler instead.
                site.clear();
                site.add(HANDLER + " " + name(frame));
                handler = true;
            }
            if (product == FRAMES) {
                break;
            }
        }
        if (product == 0) {
            return handler ? site.get(0).replace(HANDLER, "caller") : "unknown";
        }
        return String.join(" < ", site.subList(0, Math.min(site.size(), FRAMES)));
    }

    /** Whether the frame belongs to the JDK, this test kit, a pool, a driver or the runner of SQL files. */
    private static boolean isInfrastructure(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null
                || loader == ClassLoader.getPlatformClassLoader()
                || Proxy.isProxyClass(type)
                || INFRASTRUCTURE.stream().anyMatch(type.getName()::startsWith)
                || (KIT != null && KIT.equals(sourceOf(type)));
    }

    private static boolean isProduct(Class<?> type) {
        if (!type.getName().startsWith(PRODUCT)) {
            return false;
        }
        String source = sourceOf(type);
        return source != null && (source.equals(CORE) || !source.endsWith("test-classes/"));
    }

    private static @Nullable String sourceOf(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null || source.getLocation() == null
                ? null
                : source.getLocation().toString();
    }

    private static String name(StackFrame frame) {
        String type = frame.getClassName();
        String simple = type.substring(type.lastIndexOf('.') + 1).replace('$', '.');
        String method = frame.getMethodName();
        if (method.startsWith("lambda$")) {
            String[] parts = method.split("\\$", -1);
            method = parts.length > 2 ? parts[1] : method;
        }
        return simple + "." + method + ":" + frame.getLineNumber();
    }
}
