// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.testkit.CrashWindows;
import io.idembox.testkit.CrashWindowsSetup;
import io.idembox.testkit.InboxHarness;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Crash windows for a user's handler, as shown in docs/testing.md. */
class BillingCrashTest implements CrashWindowsSetup {

    @Override
    public void prepare(DataSource database) throws SQLException {
        Sql.execute(database, "create table if not exists charge (order_id text, cents int)");
    }

    @Override
    public InboxHarness.Builder inbox(DataSource process) {
        return InboxHarness.on(process)
                .consumer("billing")
                .handler(ctx -> QuickStart.charge(ctx.connection(), "42", 5000));
    }

    @CrashWindows
    void chargesOnce(InboxHarness inbox, DataSource database) throws SQLException {
        inbox.deliver(Message.of("evt-456", "OrderPlaced", "{\"orderId\":\"42\"}"));

        assertThat(Sql.number(database, "select count(*) from charge")).isEqualTo(1);
    }
}
