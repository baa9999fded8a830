// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.ExternalWork;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseRenewal;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.MessageResult;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.internal.engine.OutgoingStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** Sending, publishing and trying, with one thing taken out; this one with nothing. */
class BrokenMail {

    static final BrokenMail NONE = new BrokenMail();

    /** Works under a lease, outside any transaction. */
    @FunctionalInterface
    interface Relay {
        void work(Lease lease);
    }

    DataSource rewriting(DataSource real) {
        return real;
    }

    InboxStore decorate(InboxStore store) {
        return store;
    }

    LeaseStore decorate(LeaseStore leases) {
        return leases;
    }

    Relay relay(ExternalWork publishing, Function<ExternalWork, Relay> runs) {
        return runs.apply(publishing);
    }

    /** Whether the provider is asked about what is in doubt. */
    boolean asks() {
        return true;
    }

    /** Goes on behind the highest number it has published. */
    static BrokenMail scanning() {
        return new BrokenMail() {
            @Override
            DataSource rewriting(DataSource real) {
                return Rewriting.replacing(
                        real,
                        "and e.arrival >= ?",
                        "and e.arrival >= ? and (e.consumer_id not in (select c.consumer_id from idembox_consumer c"
                                + " where c.name like 'outbox/%') or e.arrival > coalesce((select max(o.arrival)"
                                + " from idembox_outcome o join idembox_body b on b.arrival = o.arrival"
                                + " where b.consumer_id = e.consumer_id), 0))");
            }
        };
    }

    /** Numbers are given out without anybody holding the key. */
    static BrokenMail withoutKeyLock() {
        return new BrokenMail() {
            @Override
            DataSource rewriting(DataSource real) {
                return Rewriting.replacingIn(real, "placed as (", "do update set name = k.name", "do nothing");
            }
        };
    }

    /** Marks what it is about to publish. */
    static BrokenMail markingFirst() {
        return new BrokenMail() {
            @Override
            Relay relay(ExternalWork publishing, Function<ExternalWork, Relay> runs) {
                return lease -> {
                    List<ClaimedMessage> marked = new ArrayList<>();
                    ExternalWork nothing = (members, shift, told) -> {
                        marked.addAll(members);
                        members.forEach(
                                member -> told.accept(ExternalWork.Done.done(member, null, java.time.Instant.EPOCH)));
                    };
                    runs.apply(nothing).work(lease);
                    run(publishing, marked, () -> {}, done -> {});
                };
            }
        };
    }

    /** Publishes all of a key at once. */
    static BrokenMail withoutOrder() {
        return changing(member -> new ClaimedMessage(
                member.arrival(),
                member.snapshot(),
                null,
                member.sequenceNumber(),
                member.position(),
                member.id(),
                member.message()));
    }

    /** Every publication has an id of its own. */
    static BrokenMail renaming() {
        return changing(member -> new ClaimedMessage(
                member.arrival(),
                member.snapshot(),
                member.key(),
                member.sequenceNumber(),
                member.position(),
                member.id(),
                renamed(member.message())));
    }

    private static Message renamed(Message message) {
        Message renamed = Message.of(
                        message.id().orElseThrow() + "/" + UUID.randomUUID(),
                        message.type().name(),
                        message.payload())
                .from(message.source());
        return message.key().map(renamed::keyed).orElse(renamed);
    }

    private static BrokenMail changing(UnaryOperator<ClaimedMessage> change) {
        return new BrokenMail() {
            @Override
            Relay relay(ExternalWork publishing, Function<ExternalWork, Relay> runs) {
                return runs.apply(new Changed(publishing, change));
            }
        };
    }

    private record Changed(ExternalWork real, UnaryOperator<ClaimedMessage> change) implements ExternalWork {

        @Override
        public int followers() {
            return real.followers();
        }

        @Override
        public void run(
                List<ClaimedMessage> members, LeaseRenewal.Shift shift, java.util.function.Consumer<Done> told) {
            Map<Long, ClaimedMessage> byArrival = new HashMap<>();
            members.forEach(member -> byArrival.put(member.arrival(), member));
            BrokenMail.run(
                    real,
                    members.stream().map(change).toList(),
                    shift,
                    done -> told.accept(new Done(
                            byArrival.get(done.member().arrival()), done.result(), done.outcome(), done.startedAt())));
        }
    }

    private static void run(
            ExternalWork work,
            List<ClaimedMessage> members,
            LeaseRenewal.Shift shift,
            java.util.function.Consumer<ExternalWork.Done> told) {
        try {
            work.run(members, shift, told);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** Settles what was published, or was not, whoever has the lease. */
    static BrokenMail withoutFence() {
        return new BrokenMail() {
            @Override
            InboxStore decorate(InboxStore store) {
                return new StoreDecorator(store) {
                    @Override
                    public void settle(Transaction tx, RegisteredConsumer consumer, List<MessageResult> results) {
                        for (MessageResult result : results) {
                            InboxStore done = result.kind() == MessageResult.Kind.COMPLETED
                                    ? new Blind(store)
                                    : BrokenEngine.FAILS_UNGUARDED.decorate(store);
                            InboxStore ours = consumer.name().startsWith(OutboxWriter.OUTBOX) ? done : store;
                            ours.settle(tx, consumer, List.of(result));
                        }
                    }
                };
            }

            @Override
            LeaseStore decorate(LeaseStore leases) {
                return BrokenEngine.FAILS_UNGUARDED.decorate(leases);
            }
        };
    }

    /** Tries again without asking. */
    static BrokenMail withoutAsking() {
        return new BrokenMail() {
            @Override
            boolean asks() {
                return false;
            }
        };
    }

    /** Takes a try that did not come back for one that was never made. */
    static BrokenMail forgettingTries() {
        return outgoing(store -> new OutgoingDecorator(store.outgoing()) {
            @Override
            public Optional<Tries> tries(RegisteredConsumer consumer, long arrival) {
                return super.tries(consumer, arrival)
                        .filter(tries -> !tries.lastError().equals(LEASE_EXPIRED));
            }
        });
    }

    /** Sends in another transaction than the effect, before it. */
    static BrokenMail apart() {
        return outgoing(store -> new OutgoingDecorator(store.outgoing()) {
            @Override
            public Set<Long> send(
                    Transaction tx,
                    RegisteredConsumer destination,
                    List<NewLedgerRow> rows,
                    Map<Integer, Long> causes) {
                try (Transaction apart = store.begin()) {
                    Set<Long> sent = super.send(apart, destination, rows, causes);
                    apart.commit();
                    return sent;
                }
            }
        });
    }

    private static BrokenMail outgoing(Function<InboxStore, OutgoingStore> change) {
        return new BrokenMail() {
            @Override
            InboxStore decorate(InboxStore store) {
                return new StoreDecorator(store) {
                    @Override
                    public OutgoingStore outgoing() {
                        return change.apply(store);
                    }
                };
            }
        };
    }

    /** Sends when the effect is committed. */
    static BrokenMail afterwards() {
        return new BrokenMail() {
            @Override
            InboxStore decorate(InboxStore store) {
                return new Afterwards(store);
            }

            @Override
            LeaseStore decorate(LeaseStore leases) {
                return new LeaseDecorator(leases);
            }
        };
    }

    private static final class Afterwards extends StoreDecorator {

        private final InboxStore store;

        Afterwards(InboxStore store) {
            super(store);
            this.store = store;
        }

        /** A transaction that has something to do when it is committed. */
        private static final class Putting extends TransactionDecorator {

            private final List<Runnable> off = new ArrayList<>();

            Putting(Transaction real) {
                super(real);
            }

            @Override
            public void rollbackToBatch() {
                off.clear();
                super.rollbackToBatch();
            }

            @Override
            public void proveAndCommit() {
                super.proveAndCommit();
                off.forEach(Runnable::run);
            }
        }

        @Override
        public Transaction begin() {
            return new Putting(super.begin());
        }

        @Override
        public OutgoingStore outgoing() {
            return new OutgoingDecorator(store.outgoing()) {
                @Override
                public Set<Long> send(
                        Transaction tx,
                        RegisteredConsumer destination,
                        List<NewLedgerRow> rows,
                        Map<Integer, Long> causes) {
                    if (!(tx instanceof Putting putting)) {
                        return super.send(tx, destination, rows, causes);
                    }
                    putting.off.add(() -> {
                        try (Transaction late = store.begin()) {
                            super.send(late, destination, rows, causes);
                            late.commit();
                        }
                    });
                    Set<Long> pretended = new HashSet<>();
                    rows.forEach(row -> pretended.add((long) row.slot()));
                    return pretended;
                }
            };
        }
    }
}
