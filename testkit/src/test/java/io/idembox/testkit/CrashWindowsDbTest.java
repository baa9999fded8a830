// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs crash window tests as a user's build does. */
class CrashWindowsDbTest {

    private final List<String> passed = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final List<String> messages = new ArrayList<>();

    private void run(Class<?> sample) {
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(sample))
                                .build(),
                        new TestExecutionListener() {
                            @Override
                            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                                if (!test.isTest()) {
                                    return;
                                }
                                (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL ? passed : failed)
                                        .add(test.getDisplayName());
                                result.getThrowable().ifPresent(thrown -> messages.add(String.valueOf(thrown)));
                            }
                        });
    }

    private static String reportOf(Class<?> sample, String method) throws IOException {
        return Files.readString(Path.of(
                "target", "crash-windows", "CrashWindowsSamples." + sample.getSimpleName() + "." + method + ".md"));
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(
            classes = {
                CrashWindowsSamples.SoundOnPostgres.class,
                CrashWindowsSamples.SoundBatch.class,
                CrashWindowsSamples.SoundBatchOnH2.class,
                CrashWindowsSamples.SoundRetry.class
            })
    void aSoundHandlerSurvivesEveryWindow(Class<?> sample) {
        run(sample);

        assertThat(messages).isEmpty();
        assertThat(failed).isEmpty();
        assertThat(passed).hasSizeGreaterThan(60).startsWith("no fault");
        assertThat(passed)
                .anyMatch(name -> name.endsWith("· after commit · connection lost"))
                .anyMatch(name -> name.endsWith("· before commit · process crashed"))
                .anyMatch(name -> name.endsWith("· after acknowledge · process crashed"))
                .anyMatch(name -> name.endsWith("· before commit · paused while the redelivery runs"));
    }

    @Test
    @Tag("slow")
    void onlyConfiguredFaultsAreInjected() {
        run(CrashWindowsSamples.SoundRetryWithoutPauses.class);

        assertThat(messages).isEmpty();
        assertThat(passed)
                .hasSizeGreaterThan(60)
                .anyMatch(name -> name.endsWith("connection lost"))
                .noneMatch(name -> name.contains("paused"));
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(classes = {CrashWindowsSamples.OwnConnection.class, CrashWindowsSamples.OwnConnectionOnH2.class})
    void aHandlerWithItsOwnConnectionIsDetected(Class<?> sample) {
        run(sample);

        assertThat(passed).contains("no fault").anyMatch(name -> name.endsWith("· after commit · connection lost"));
        assertThat(failed)
                .anyMatch(name -> name.endsWith("· before commit · process crashed"))
                .anyMatch(name -> name.endsWith("· before commit · connection lost"));
        assertThat(messages).anyMatch(message -> message.contains("[\"evt-456\", \"evt-456\"]"));
    }

    @Test
    void aHandlerThatCallsAnotherSystemIsDetected() {
        run(CrashWindowsSamples.RemoteCall.class);

        assertThat(passed).contains("no fault");
        assertThat(failed).anyMatch(name -> name.endsWith("· before commit · process crashed"));
    }

    @Test
    void anAcknowledgedButUnrecordedMessageIsLost() {
        run(CrashWindowsSamples.Forgetful.class);

        assertThat(failed).containsExactly("no fault");
        assertThat(messages).singleElement().asString().contains("/orders/evt-456 (OrderPlaced) lost");
    }

    @Test
    void aWindowThatIsNotReachedOrIsAnotherFails() {
        run(CrashWindowsSamples.Unrepeatable.class);

        assertThat(passed).containsExactly("no fault", "no fault");
        assertThat(failed).hasSize(2);
        assertThat(messages)
                .anyMatch(message -> message.contains("The fault did not happen"))
                .anyMatch(message -> message.contains("The fault happened elsewhere"));
    }

    @Test
    void aTestClassWithoutSetupIsRejected() {
        run(CrashWindowsSamples.WithoutSetup.class);

        assertThat(messages).singleElement().asString().contains("so it must implement CrashWindowsSetup");
    }

    @Test
    void theReportHasARowForEveryWindow() throws IOException {
        run(CrashWindowsSamples.SoundOnH2.class);

        assertThat(failed).isEmpty();
        String report = reportOf(CrashWindowsSamples.SoundOnH2.class, "chargesOnce");
        assertThat(report.lines().filter(line -> line.startsWith("| ")).count()).isEqualTo(passed.size() + 1);
        assertThat(report)
                .contains("0 failed")
                .contains("| after: connection lost | BUSY | DUPLICATE | DUPLICATE | charge 1 |");
    }
}
