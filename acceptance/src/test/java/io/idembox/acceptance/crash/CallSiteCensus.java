// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.idembox.Inbox;
import io.idembox.intent.IntentSender;
import io.idembox.internal.jdbc.sql.SqlCall;
import io.idembox.spi.Delivery;
import io.idembox.spi.Publisher;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;

/** Every place of the product that calls the database or the broker, read from its class files. */
final class CallSiteCensus {

    /** What runs once at the start, before the first message. */
    private static final Set<String> AT_START = Set.of("StartupChecks", "Schema", "DetectedDatabase");

    /** Whether it works or not changes no message: nodes also look by themselves. */
    private static final String HINT = "PostgresWorkNotifier";

    /** Checks before anything else, and only for connections without auto-commit. */
    private static final String ASKS_FIRST = "OpenTransaction";

    private static final Set<String> CONNECTION_CALLS =
            Set.of("commit", "rollback", "setSavepoint", "releaseSavepoint");

    /** The methods of the runner of SQL files that execute a statement: their callers are the sites. */
    private static final Set<String> RUNNER_CALLS = Set.of("update", "list", "first", "bundle");

    private CallSiteCensus() {}

    /** Sites as {@code Class:line}. */
    static Set<String> take() {
        Set<String> sites = new TreeSet<>();
        for (JavaClass type : classesOfTheProduct()) {
            if (AT_START.contains(type.getSimpleName())
                    || type.getName().contains(HINT)
                    || type.getName().contains(ASKS_FIRST)
                    || type.getPackageName().equals(SqlCall.class.getPackageName())) {
                continue;
            }
            for (JavaMethodCall call : type.getMethodCallsFromSelf()) {
                if (isCall(call)) {
                    sites.add(outermost(type) + ":" + call.getLineNumber());
                }
            }
        }
        return sites;
    }

    private static String outermost(JavaClass type) {
        String name = type.getName().substring(type.getPackageName().length() + 1);
        return name.split("\\$", 2)[0];
    }

    private static JavaClasses classesOfTheProduct() {
        try {
            URI source = Inbox.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI();
            return new ClassFileImporter().importPath(Path.of(source));
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static boolean isCall(JavaMethodCall call) {
        JavaClass owner = call.getTargetOwner();
        String name = call.getName();
        if (owner.isAssignableTo(Statement.class)) {
            return name.startsWith("execute");
        }
        if (owner.isAssignableTo(SqlCall.class)) {
            return RUNNER_CALLS.contains(name);
        }
        if (owner.isAssignableTo(Connection.class)) {
            return CONNECTION_CALLS.contains(name);
        }
        if (owner.isAssignableTo(Delivery.class)) {
            return name.equals("acknowledge") || name.equals("release");
        }
        if (owner.isAssignableTo(Publisher.class)) {
            return name.equals("publish");
        }
        if (owner.isAssignableTo(IntentSender.class)) {
            return name.equals("send") || name.equals("reconcile");
        }
        return owner.isAssignableTo(DataSource.class) && name.equals("getConnection");
    }
}
