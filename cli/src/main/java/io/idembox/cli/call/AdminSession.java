// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import io.idembox.Inbox;
import io.idembox.Outbox;
import io.idembox.admin.InboxAdmin;
import io.idembox.audit.AuditTrail;
import io.idembox.policy.Policies;

/** The operator API for one command: an inbox without handlers, and its database connections. */
public final class AdminSession implements AutoCloseable {

    private final DatabaseSession database;
    private final Inbox inbox;

    private AdminSession(DatabaseSession database, Inbox inbox) {
        this.database = database;
        this.inbox = inbox;
    }

    static AdminSession open(DatabaseSession database) {
        try {
            // Durability settings are checked by applications and `schema check`, not by operator commands.
            return new AdminSession(
                    database, database.inbox().allowUnsafeDurability().start());
        } catch (RuntimeException refused) {
            database.close();
            throw refused;
        }
    }

    public InboxAdmin admin() {
        return inbox.admin();
    }

    /** The audit trail of operator commands. */
    public AuditTrail audit() {
        return inbox.audit();
    }

    /** The policies of the {@code --policies} file; empty without that option. */
    public Policies policies() {
        return database.policies();
    }

    /** Whether the policy of a consumer is known. Ordered consumers accept commands only when it is. */
    public boolean knowsPolicyOf(String consumer) {
        return policies().consumers().containsKey(consumer)
                || policies().outbox().keySet().stream().map(Outbox::consumer).anyMatch(consumer::equals);
    }

    @Override
    public void close() {
        try (database) {
            inbox.close();
        }
    }
}
