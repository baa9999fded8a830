// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the suites whose SQL may behave differently in another version of PostgreSQL, on the version given as
 * argument. Ends with one line; the exit status is 0 when tests ran and none failed.
 */
final class VersionSuites {

    private static final List<Class<?>> SUITES = List.of(
            // stored
            StoredModeDbTest.class,
            LeaseDbTest.class,
            StepsDbTest.class,
            // order
            KeyOrderDbTest.class,
            SequenceDbTest.class,
            AdminOrderDbTest.class,
            // outbox
            OutboxDbTest.class,
            RelayDbTest.class,
            IntentDbTest.class,
            // replay
            ReplayDbTest.class,
            ReplaySequenceDbTest.class,
            ReplayEffectsDbTest.class,
            // roles
            RolesDbTest.class,
            RoleRefusalsDbTest.class,
            RolesSearchPathDbTest.class);

    private VersionSuites() {}

    public static void main(String[] arguments) throws IOException {
        String wanted = arguments[0];
        Optional<Path> jar = PostgresVersionsDbTest.binariesOf(wanted);
        if (jar.isEmpty()) {
            System.out.println("postgres-versions: FAILED PostgreSQL " + wanted + ": its binaries were not found");
            System.exit(1);
        }
        // Before the first server: all servers of this JVM, and H2 is left out.
        System.setProperty(PostgresServer.BINARIES, jar.get().toString());
        String version = PostgresServer.shared().version();
        if (!version.startsWith(wanted + ".")) {
            System.out.println(
                    "postgres-versions: FAILED PostgreSQL " + wanted + " was requested, but " + version + " started");
            System.exit(1);
        }
        long begin = System.nanoTime();
        TestExecutionSummary summary = run();
        summary.printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8), 12);
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        boolean well = summary.getTotalFailureCount() == 0 && summary.getTestsSucceededCount() > 0;
        System.out.printf(
                "postgres-versions: %s PostgreSQL %s: %d suites, %d tests, %d failed, %d skipped, %ds%n",
                well ? "OK" : "FAILED",
                version,
                SUITES.size(),
                summary.getTestsSucceededCount() + summary.getTestsFailedCount(),
                summary.getTotalFailureCount(),
                summary.getTestsSkippedCount() + summary.getTestsAbortedCount(),
                took.toSeconds());
        System.exit(well ? 0 : 1);
    }

    private static TestExecutionSummary run() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(SUITES.stream().map(DiscoverySelectors::selectClass).toList())
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        return listener.getSummary();
    }
}
