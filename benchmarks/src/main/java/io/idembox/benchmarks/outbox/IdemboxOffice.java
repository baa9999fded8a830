// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.event.InboxEvent;
import io.idembox.policy.Ordering;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.WorkPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Our outbox and its relay. */
final class IdemboxOffice implements Office {

    /** What grows with every message. */
    static final List<String> TABLES = List.of(
            "idembox_ledger", "idembox_body", "idembox_entry", "idembox_lease", "idembox_outcome", "idembox_key");

    private final DataSource dataSource;
    private final Target target;
    private final Ears ears;
    private final Inbox inbox;

    private IdemboxOffice(DataSource dataSource, OutboxPolicy policy, Target target, Ears ears) {
        this.dataSource = dataSource;
        this.target = target;
        this.ears = ears;
        this.inbox = Inbox.on(dataSource)
                .createSchema()
                // While warming up, commits are not durable; nobody is measured then.
                .allowUnsafeDurability()
                .outbox(DESTINATION, policy)
                .listener(this::hear)
                .start();
    }

    /** Told after the commit. */
    private void hear(InboxEvent event) {
        if (event instanceof InboxEvent.Received received && received.receipt().kind() == Receipt.Kind.COMPLETED) {
            MessageId id = received.id();
            if (id != null) {
                ears.marked().accept(id.id());
            }
        }
    }

    @Override
    public void send(List<Message> messages) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            inbox.outbox().send(connection, DESTINATION, messages);
            connection.commit();
        }
        messages.forEach(message -> ears.committed().accept(message.id().orElseThrow()));
        inbox.outbox().committed();
    }

    @Override
    public void startRelay() {
        inbox.outbox().relay(target.publisher(), DESTINATION);
    }

    @Override
    public void close() {
        inbox.close();
    }

    /** @param ordering whether keys mean anything */
    record Opening(Arena arena, Ordering ordering, int workers, int batchSize) implements Office.Opening {

        @Override
        public String name() {
            return "idembox " + batchSize + (keepsOrder() ? ", keys in order" : ", no order");
        }

        @Override
        public boolean keepsOrder() {
            return ordering != Ordering.NONE;
        }

        @Override
        public String marks() {
            return "select count(*) from idembox_outcome";
        }

        @Override
        public String leftOver() {
            return "select (select count(*) from idembox_entry) + (select count(*) from idembox_lease)";
        }

        @Override
        public List<String> tables() {
            return TABLES;
        }

        @Override
        public Office open(Target target, Ears ears) {
            OutboxPolicy policy = OutboxPolicy.defaults()
                    .ordering(ordering)
                    .work(WorkPolicy.defaults().workers(workers).batch(batchSize));
            return new IdemboxOffice(arena.dataSource(), policy, target, ears);
        }
    }
}
