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
 * A test that is run once for every place where the process can break: for every call to the database or the broker,
 * before and after it, with the process gone, with the connection lost, and with the process standing still while another
 * one gets the redelivery.
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
 * <p>The first run has no fault; it finds the steps. Then, in every window, {@code deliver} meets the fault and delivers
 * again until everything is acknowledged: to a new process if the old one is gone, otherwise to the old one. At last
 * every message comes once more as a late duplicate, which must change nothing. Only then it returns, and the assertions
 * of the test see what the crash left behind.
 *
 * <p>The method takes an {@link InboxHarness} and, if it wants, a {@link CrashWindow} and the {@link
 * javax.sql.DataSource} for assertions. What happened is written to {@code target/crash-windows} (or {@code
 * build/crash-windows}), one table per method.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(CrashWindowsExtension.class)
@Execution(ExecutionMode.SAME_THREAD)
public @interface CrashWindows {

    /** What goes wrong. Errors that the database reports can be tried as well: SQL_ERROR and COMMIT_REFUSED. */
    Fault.Kind[] faults() default {Fault.Kind.GONE, Fault.Kind.CONNECTION_LOST, Fault.Kind.PAUSED};

    /** Only this window, written as the report writes it: {@code 11/after/CONNECTION_LOST}. All of them without it. */
    String only() default "";
}
