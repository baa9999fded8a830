// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.testkit.fault.Step;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.postgresql.ds.PGSimpleDataSource;

/** Runs one window: empties the database, creates the harness, and records the result. For one invocation. */
final class WindowExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

    private final CrashWindow window;
    private final WindowReport report;
    private @Nullable CrashWindowsSetup setup;
    private @Nullable DataSource database;
    private @Nullable CrashRun run;
    private @Nullable InboxHarness harness;

    WindowExtension(CrashWindow window, WindowReport report) {
        this.window = window;
        this.report = report;
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        CrashWindowsSetup found = context.getRequiredTestInstances()
                .findInstance(CrashWindowsSetup.class)
                .orElseThrow(() -> new ExtensionConfigurationException(
                        context.getRequiredTestClass().getSimpleName()
                                + " has a @CrashWindows test, so it must"
                                + " implement CrashWindowsSetup, which names the database and the consumer."));
        DataSource shared = OneDatabase.of(context, found);
        found.empty(shared);
        found.prepare(shared);
        setup = found;
        database = shared;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == InboxHarness.class || type == CrashWindow.class || type == DataSource.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        if (type == CrashWindow.class) {
            return window;
        }
        if (setup == null || database == null) {
            throw new ParameterResolutionException(
                    "The harness of a crash window is only available to test methods and @BeforeEach methods.");
        }
        return type == DataSource.class ? database : harness(setup, database);
    }

    private InboxHarness harness(CrashWindowsSetup with, DataSource on) {
        InboxHarness running = harness;
        if (running == null) {
            Broker broker = new Broker();
            CrashRun newRun = new CrashRun(with, window, on, broker);
            running = new InboxHarness(newRun, broker, newRun.options(), on);
            run = newRun;
            harness = running;
        }
        return running;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        CrashRun ended = run;
        if (ended == null) {
            report.add(
                    window, new WindowNotes(), context.getExecutionException().orElse(null));
            return;
        }
        List<Step> steps = ended.steps();
        AssertionError missed = context.getExecutionException().isPresent() ? null : missed(ended);
        ended.close();
        report.add(window, ended.notes(), context.getExecutionException().orElse(missed));
        if (missed != null) {
            throw missed;
        }
        if (window.plan().isEmpty() && context.getExecutionException().isEmpty()) {
            report.recordSteps(steps);
        }
    }

    /** Fails a window whose fault did not happen at the planned step, because it proves nothing; null when it did. */
    private @Nullable AssertionError missed(CrashRun ended) {
        Optional<Step> planned = window.step();
        if (planned.isEmpty()) {
            return null;
        }
        Optional<Step> struck = ended.faultStep();
        if (struck.isEmpty()) {
            return new AssertionError("The fault did not happen: the first run had a step " + planned.get()
                    + ", this run ended before it. A crash window test must take the same steps every time.");
        }
        return struck.get().isLike(planned.get())
                ? null
                : new AssertionError("The fault happened elsewhere: the first run had " + planned.get()
                        + ", this run had " + struck.get()
                        + ". A crash window test must take the same steps every time.");
    }

    /**
     * One database per test class. Stored in this record, because JUnit would close a pool that belongs to the test.
     */
    private record OneDatabase(DataSource dataSource) implements AutoCloseable {

        static DataSource of(ExtensionContext context, CrashWindowsSetup setup) throws Exception {
            ExtensionContext.Store store = classContext(context).getStore(CrashWindowsExtension.NAMESPACE);
            OneDatabase known = store.get(setup.getClass(), OneDatabase.class);
            if (known == null) {
                DataSource given = setup.database();
                known = new OneDatabase(given instanceof PGSimpleDataSource ? new ReusedConnections(given) : given);
                store.put(setup.getClass(), known);
            }
            return known.dataSource;
        }

        /** The parent of the invocation is the method, its parent is the class. */
        private static ExtensionContext classContext(ExtensionContext context) {
            return context.getParent().flatMap(ExtensionContext::getParent).orElse(context);
        }

        @Override
        public void close() throws SQLException {
            if (dataSource instanceof ReusedConnections ours) {
                ours.close();
            }
        }
    }
}
