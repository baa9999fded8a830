// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.Step;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Makes one invocation of a {@link CrashWindows} test for every window found by the first run. */
final class CrashWindowsExtension implements TestTemplateInvocationContextProvider {

    static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(CrashWindows.class);

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return context.getRequiredTestMethod().isAnnotationPresent(CrashWindows.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        CrashWindows wanted = context.getRequiredTestMethod().getAnnotation(CrashWindows.class);
        WindowReport report = WindowReport.of(context);
        context.getStore(NAMESPACE).put(WindowReport.class, report); // closed, and so written, with the context
        Windows windows = new Windows(wanted, report);
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(windows, Spliterator.ORDERED | Spliterator.NONNULL), false);
    }

    /** The first run, then the windows it found. */
    private static final class Windows implements Iterator<TestTemplateInvocationContext> {

        private final CrashWindows wanted;
        private final WindowReport report;
        private final Deque<CrashWindow> open = new ArrayDeque<>(List.of(CrashWindow.NO_FAULT));
        private boolean planned;

        Windows(CrashWindows wanted, WindowReport report) {
            this.wanted = wanted;
            this.report = report;
        }

        /** The second call happens after the first run has ended. */
        @Override
        public boolean hasNext() {
            if (open.isEmpty() && !planned) {
                planned = true;
                open.addAll(plan(report.steps()));
            }
            return !open.isEmpty();
        }

        @Override
        public TestTemplateInvocationContext next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return new Invocation(open.remove(), report);
        }

        private List<CrashWindow> plan(List<Step> steps) {
            List<Fault> faults = Fault.all().stream()
                    .filter(fault -> Arrays.asList(wanted.faults()).contains(fault.kind()))
                    .toList();
            List<CrashWindow> windows = FaultPlan.enumerate(steps, faults).stream()
                    .map(plan -> CrashWindow.at(plan, steps.get(plan.step() - 1)))
                    .toList();
            if (wanted.only().isEmpty() || steps.isEmpty()) {
                return windows;
            }
            FaultPlan only = FaultPlan.parse(wanted.only());
            if (only.step() > steps.size()) {
                throw new ExtensionConfigurationException(
                        "There is no window " + only + ": the test has " + steps.size() + " steps.");
            }
            return List.of(CrashWindow.at(only, steps.get(only.step() - 1)));
        }
    }

    /** One window as JUnit sees it. */
    private record Invocation(CrashWindow window, WindowReport report) implements TestTemplateInvocationContext {

        @Override
        public String getDisplayName(int invocationIndex) {
            return window.toString();
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(new WindowExtension(window, report));
        }
    }
}
