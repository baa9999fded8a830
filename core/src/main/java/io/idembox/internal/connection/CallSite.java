// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tells by the stack who is calling: the inbox itself, or which line of the application. Stateless. */
final class CallSite {

    private static final String ENGINE = "io.idembox.internal.engine.";
    private static final String STORE = "io.idembox.internal.jdbc.";

    /** Writes rows of the application, on a connection that the application chose. */
    private static final String APPLICATION_ROW = STORE + "ApplicationRow";

    /** What lies between the application and a connection. */
    private static final List<String> BETWEEN = List.of(
            "io.idembox.internal.",
            "io.idembox.idempotent.",
            "java.",
            "javax.",
            "jdk.",
            "sun.",
            "com.sun.",
            "org.postgresql.",
            "org.h2.",
            "com.zaxxer.hikari.",
            "org.apache.commons.dbcp2.",
            "org.apache.tomcat.jdbc.",
            "com.mchange.v2.",
            "io.agroal.");

    /** Not the application either, but better than nothing. */
    private static final List<String> LIBRARIES = List.of(
            "org.springframework.",
            "org.hibernate.",
            "org.eclipse.persistence.",
            "jakarta.",
            "org.jooq.",
            "org.jdbi.",
            "org.apache.ibatis.",
            "com.querydsl.",
            "io.quarkus.",
            "io.micronaut.",
            "io.micrometer.",
            "io.opentelemetry.",
            "net.ttddyy.",
            "com.p6spy.",
            "kotlin.",
            "groovy.",
            "scala.");

    private static final StackWalker WALKER = StackWalker.getInstance();

    private CallSite() {}

    /** The line of the application that a handler's call comes from; null when it is the inbox itself that calls. */
    static @Nullable String application() {
        return WALKER.walk(CallSite::application);
    }

    /** All of a handler's stack is looked at: there may be a DataSource of the application's between us and the store. */
    private static @Nullable String application(Stream<StackFrame> stack) {
        StackFrame application = null;
        StackFrame library = null;
        for (StackFrame frame : (Iterable<StackFrame>) stack::iterator) {
            String type = frame.getClassName();
            if (isInbox(type)) {
                return null;
            }
            if (type.startsWith(ENGINE)) {
                break; // behind the engine is whoever called the inbox
            }
            if (application != null || isOneOf(type, BETWEEN)) {
                continue;
            }
            if (!isOneOf(type, LIBRARIES)) {
                application = frame;
            } else if (library == null) {
                library = frame;
            }
        }
        StackFrame found = application == null ? library : application;
        return found == null ? "a place that the stack does not show" : shown(found);
    }

    /** The store for itself, or the connection that the inbox gave to a handler. */
    private static boolean isInbox(String type) {
        return (type.startsWith(STORE) && !type.startsWith(APPLICATION_ROW))
                || type.startsWith(GuardedConnection.class.getName())
                || type.startsWith(DeferredWrites.class.getName());
    }

    private static boolean isOneOf(String type, List<String> packages) {
        return packages.stream().anyMatch(type::startsWith);
    }

    private static String shown(StackFrame frame) {
        return frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName() + ":"
                + frame.getLineNumber() + ")";
    }
}
