// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.testkit.fault.Fault;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A test that runs once per crash window: at every call to the database or the broker, before and after it, with the
 * process crashed, with the connection lost, and with the process paused while another process receives the redelivery.
 *
 * <pre>{@code
 * class BillingTest implements CrashWindowsSetup {
 *
 *     private Ledger ledger;
 *
 *     @Override
 *     public void prepare(DataSource database) {
 *         ledger = new Ledger(database); // creates its table if it is not there
 *     }
 *
 *     @Override
 *     public InboxHarness.Builder inbox(DataSource process) {
 *         return InboxHarness.on(process).consumer("billing").handler(Billing::charge);
 *     }
 *
 *     @CrashWindows
 *     void chargesOnce(InboxHarness inbox) {
 *         inbox.deliver(placed("evt-456"));
 *
 *         assertThat(ledger.rows("42")).hasSize(1);
 *     }
 * }
 * }</pre>
 *
 * <p>The first run has no fault; it records the steps. Then, in every window, {@code deliver} meets the fault and
 * redelivers until everything is acknowledged: to a new process after a crash, otherwise to the same one. Finally every
 * message is delivered once more as a late duplicate, which must change nothing. Then {@code deliver} returns, and the
 * assertions of the test see the state after the crash.
 *
 * <p>The method takes an {@link InboxHarness} and, optionally, a {@link CrashWindow} and the {@link
 * javax.sql.DataSource} for assertions. A report is written to {@code target/crash-windows} (or {@code
 * build/crash-windows}), one table per method.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(CrashWindowsExtension.class)
@Execution(ExecutionMode.SAME_THREAD)
public @interface CrashWindows {

    /** The faults to inject. Errors reported by the database can be added: SQL_ERROR and COMMIT_REFUSED. */
    Fault.Kind[] faults() default {Fault.Kind.GONE, Fault.Kind.CONNECTION_LOST, Fault.Kind.PAUSED};

    /** Runs only this window, in the notation of the report: {@code 11/after/CONNECTION_LOST}. Default: all windows. */
    String only() default "";
}
