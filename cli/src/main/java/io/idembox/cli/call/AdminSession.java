// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import io.idembox.Inbox;
import io.idembox.Outbox;
import io.idembox.admin.InboxAdmin;
import io.idembox.audit.AuditTrail;
import io.idembox.policy.Policies;

/** An inbox that handles nothing: the door for people, opened for one command. */
public final class AdminSession implements AutoCloseable {

    private final DatabaseSession database;
    private final Inbox inbox;

    private AdminSession(DatabaseSession database, Inbox inbox) {
        this.database = database;
        this.inbox = inbox;
    }

    static AdminSession open(DatabaseSession database) {
        try {
            // Whoever looks does not decide how durable the database is; its applications and `schema check` do.
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

    /** What people did. */
    public AuditTrail audit() {
        return inbox.audit();
    }

    /** What the file says that was given with {@code --policies}; nothing without it. */
    public Policies policies() {
        return database.policies();
    }

    /** Whether the policy of a consumer was given: what keeps order takes commands only from who knows it. */
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
