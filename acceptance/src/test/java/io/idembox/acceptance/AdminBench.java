// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.InboxHandler;
import io.idembox.MessageId;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.admin.Report;
import io.idembox.admin.Status;
import io.idembox.internal.admin.CommandStore;
import io.idembox.internal.admin.ConsumerRegistry;
import io.idembox.internal.admin.DefaultInboxAdmin;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.RunningSource;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** A node without threads, and somebody who looks and commands. */
final class AdminBench {

    static final String CONSUMER = "billing";

    final Bench node;
    final InboxAdmin admin;
    final Seen seen;
    private final Function<UnaryOperator<CommandStore>, InboxAdmin> again;

    AdminBench(TestDatabase database, ManualClock clock, ConsumerPolicy policy, InboxHandler handler) {
        this.seen = new Seen();
        this.node = new Bench(database, "node", clock, seen, policy, handler);
        this.admin = admin(database, database.dataSource(), clock, Optional.of(policy));
        this.again = commands -> admin(database, database.dataSource(), clock, Optional.of(policy), commands);
    }

    /** The same, with commands that are disturbed. */
    InboxAdmin admin(UnaryOperator<CommandStore> disturbed) {
        return again.apply(disturbed);
    }

    /** @param policy what the operator's node knows of the consumer's policy */
    InboxAdmin admin(TestDatabase database, DataSource dataSource, ManualClock clock, Optional<ConsumerPolicy> policy) {
        return admin(database, dataSource, clock, policy, UnaryOperator.identity());
    }

    private InboxAdmin admin(
            TestDatabase database,
            DataSource dataSource,
            ManualClock clock,
            Optional<ConsumerPolicy> policy,
            UnaryOperator<CommandStore> commands) {
        boolean h2 = database.jdbcUrl().startsWith("jdbc:h2:");
        JdbcInboxStore store = new JdbcInboxStore(
                dataSource,
                h2 ? Database.H2 : Database.POSTGRESQL,
                new TableNames(h2 ? "PUBLIC" : "public", "idembox_"),
                new StoreSettings(Duration.ofMillis(200), "desk", clock));
        ConsumerRegistry consumers = new ConsumerRegistry() {
            @Override
            public Optional<Known> find(String name) {
                return store.findConsumer(name, policy.orElse(ConsumerPolicy.defaults()))
                        .map(found -> new Known(found, policy.isPresent(), policy.isPresent()));
            }

            @Override
            public Receiver receiver(String name) {
                return node.receiver;
            }

            @Override
            public List<RunningSource> sources(RegisteredConsumer consumer) {
                return List.of();
            }

            @Override
            public void wake(String name) {}
        };
        return new DefaultInboxAdmin(
                store,
                store.files().with(commands.apply(store.files().commands())),
                consumers,
                new EventPublisher(List.of(seen)),
                clock,
                null);
    }

    /** Stores messages whose handler fails, and works until they have failed for good: their policy allows two attempts. */
    AdminBench failed(String... ids) {
        for (String id : ids) {
            node.store(DatabaseTest.message(id));
        }
        node.work();
        node.work();
        assertThat(admin.count(Filter.of(CONSUMER).status(Status.FAILED_TERMINAL), 100)
                        .number())
                .isEqualTo(ids.length);
        return this;
    }

    static List<CommandResult> verdicts(Report report) {
        return report.lines().stream().map(Report.Line::result).toList();
    }

    static MessageId id(String id) {
        return new MessageId("/orders", id);
    }

    static Operation operation(String id) {
        return new Operation(id, "anna", "because " + id);
    }

    /** What is there, whatever its status, of these ids. */
    List<MessageRef> select(String... ids) {
        List<String> wanted = Arrays.asList(ids);
        Filter all = Filter.of(CONSUMER).statuses(EnumSet.complementOf(EnumSet.of(Status.COMPLETED)));
        return admin.list(all, Page.first(InboxAdmin.LIMIT)).messages().stream()
                .filter(message -> wanted.contains(message.id().id()))
                .map(InboxMessage::ref)
                .toList();
    }
}
