// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.InboxHandler;
import io.idembox.internal.admin.AdminStores;
import io.idembox.internal.admin.CommandStore;
import io.idembox.internal.engine.EntrySnapshot;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.MessageResult;
import io.idembox.internal.engine.PartitionStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.policy.RetryBy;
import io.idembox.spi.Delivery;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Our engine with one thing taken out: a decorator, or one changed statement. The programme has to catch every one of
 * them, or it proves nothing about the sound one. Described in {@code broken-engines.txt}, which the run reads.
 */
enum BrokenEngine {
    NONE,

    NO_PROOF {
        @Override
        DataSource rewriting(DataSource real) {
            // Removed together with the statement that restores settings: every statement fails in an aborted
            // transaction.
            return Rewriting.replacingMatches(
                    real, "set constraints all immediate; release savepoint idembox_batch; .*commit$", "commit");
        }
    },

    NO_WRAPPER {
        @Override
        InboxHandler wrap(InboxHandler handler) {
            return context -> handler.run(new RawContext(context));
        }
    },

    ACK_FIRST {
        @Override
        void beforeHandling(List<Delivery> deliveries) {
            deliveries.forEach(Delivery::acknowledge);
        }
    },

    ACK_BUSY {
        @Override
        Delivery wrap(Delivery delivery) {
            return new ForgetfulDelivery(delivery);
        }
    },

    UNCONDITIONAL_BIRTH {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenMarks.unconditional(store);
        }
    },

    DUPLICATE_IS_NEW {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenMarks.blind(store);
        }
    },

    MARKER_LAST {
        @Override
        InboxStore decorate(InboxStore store) {
            return new MarkerLast(store);
        }
    },

    MARK_COMMITTED_FIRST {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenMarks.committedFirst(store);
        }
    },

    UNSORTED_IDS {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenMarks.unsorted(store);
        }
    },

    READ_THEN_CLAIM {
        @Override
        DataSource rewriting(DataSource real) {
            return Rewriting.unlocked(real, "owner = 'REDELIVERY'");
        }

        @Override
        InboxStore decorate(InboxStore store) {
            return new Blind(store);
        }
    },

    NO_ROLLBACK_OF_A_MESSAGE {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public Transaction begin() {
                    return new TransactionDecorator(super.begin()) {
                        @Override
                        public void rollbackToMessage() {}
                    };
                }
            };
        }
    },

    NO_ROLLBACK_OF_A_BATCH {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public Transaction begin() {
                    return new TransactionDecorator(super.begin()) {
                        @Override
                        public void rollbackToBatch() {}
                    };
                }
            };
        }
    },

    FORGETS_FAILURES {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public void settle(Transaction tx, RegisteredConsumer consumer, List<MessageResult> results) {
                    super.settle(
                            tx,
                            consumer,
                            results.stream()
                                    .map(result -> result.kind() == MessageResult.Kind.FAILED ? asHeld(result) : result)
                                    .toList());
                }
            };
        }
    },

    KEEPS_MARKS_OF_HELD {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public void settle(Transaction tx, RegisteredConsumer consumer, List<MessageResult> results) {
                    super.settle(
                            tx,
                            consumer,
                            results.stream()
                                    .filter(result -> result.kind() != MessageResult.Kind.HELD)
                                    .toList());
                }
            };
        }
    },

    NO_BODY_AT_THE_CAP {
        @Override
        DataSource rewriting(DataSource real) {
            return Rewriting.withoutInserts(real, "idembox_body");
        }
    },

    NO_FENCE {
        @Override
        InboxStore decorate(InboxStore store) {
            return new Blind(store);
        }

        @Override
        LeaseStore decorate(LeaseStore leases) {
            return withoutFence(leases);
        }
    },

    CLAIMS_WHAT_IS_LEASED {
        @Override
        DataSource rewriting(DataSource real) {
            return Rewriting.replacing(real, "and e.arrival not in (select arrival from leased)", "");
        }

        @Override
        InboxStore decorate(InboxStore store) {
            return new Blind(store);
        }
    },

    REAPS_BY_AGE {
        @Override
        DataSource rewriting(DataSource real) {
            return Rewriting.replacing(real, "lease_until < ", "claimed_at <= ");
        }
    },

    FAILS_UNGUARDED {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public void settle(Transaction tx, RegisteredConsumer consumer, List<MessageResult> results) {
                    for (MessageResult result : results) {
                        if (isToBeTriedAgainByUs(result)) {
                            Blind.fail(
                                    tx.connection(),
                                    consumer,
                                    result.recorded().main().arrival());
                        } else {
                            super.settle(tx, consumer, List.of(result));
                        }
                    }
                }
            };
        }

        @Override
        LeaseStore decorate(LeaseStore leases) {
            return withoutFence(leases);
        }
    },

    STORES_NO_ENTRY {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenMarks.withoutEntry(store);
        }
    },

    NO_KEY_LOCK {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenOrder.withoutLook(store);
        }
    },

    LETS_ALL_PASS {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenOrder.lettingAllPass(store);
        }
    },

    LETS_NOBODY_PASS {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenOrder.lettingNobodyPass(store);
        }
    },

    REDRIVES_WHAT_CHANGED {
        @Override
        boolean looksAgain() {
            return true;
        }
    },

    FORGETS_OPERATIONS {
        @Override
        CommandStore decorate(CommandStore commands) {
            return BrokenCommands.forgetful(commands);
        }
    },

    DISCARDS_BY_DELETING {
        @Override
        CommandStore decorate(CommandStore commands) {
            return BrokenCommands.deleting(commands);
        }
    },

    DISCARDS_WITHOUT_PASSING {
        @Override
        InboxStore behindCommands(InboxStore store) {
            return LETS_NOBODY_PASS.decorate(store);
        }
    },

    COMMANDS_WHAT_IS_LEASED {
        @Override
        CommandStore decorate(CommandStore commands) {
            return BrokenCommands.careless(commands);
        }
    },

    STEP_WITHOUT_FENCE {
        @Override
        LeaseStore decorate(LeaseStore leases) {
            return BrokenSteps.withoutFence(leases);
        }
    },

    STEP_APART_FROM_ITS_EFFECT {
        @Override
        LeaseStore decorate(LeaseStore leases) {
            return BrokenSteps.apart(leases);
        }
    },

    FORGETS_STEPS {
        @Override
        LeaseStore decorate(LeaseStore leases) {
            return BrokenSteps.forgetful(leases);
        }
    },

    POSITION_APART_FROM_ITS_EFFECT {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenOrder.apart(store);
        }
    },

    FORGETS_POSITIONS {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenOrder.forgetful(store);
        }
    },

    TWO_STEP_REAPER {
        @Override
        LeaseStore reaping(LeaseStore leases, InstantSource clock) {
            return new TwoStepReaper(leases, clock);
        }
    },

    FORGETS_CRASHES {
        @Override
        DataSource rewriting(DataSource real) {
            return Rewriting.replacing(real, "crashes + 1,", "crashes + 0,");
        }
    },

    TAKES_OVER_WITHOUT_CARE {
        @Override
        PartitionStore decorate(PartitionStore owners) {
            return new Careless(owners);
        }
    },

    CONFLICT_IS_DUPLICATE {
        @Override
        InboxStore decorate(InboxStore store) {
            return BrokenMarks.incurious(store);
        }
    },

    RELAY_SCANS_BY_NUMBER(BrokenMail.scanning()),
    RELAY_MARKS_FIRST(BrokenMail.markingFirst()),
    RELAY_WITHOUT_FENCE(BrokenMail.withoutFence()),
    RELAY_WITHOUT_ORDER(BrokenMail.withoutOrder()),
    RELAY_RENAMES(BrokenMail.renaming()),
    SENDS_WITHOUT_KEY_LOCK(BrokenMail.withoutKeyLock()),
    SENDS_AFTER_THE_COMMIT(BrokenMail.afterwards()),
    SENDS_APART_FROM_THE_EFFECT(BrokenMail.apart()),
    INTENT_WITHOUT_ASKING(BrokenMail.withoutAsking()),
    INTENT_FORGETS_TRIES(BrokenMail.forgettingTries()),
    CAMPAIGN_MOVES_APART(BrokenDesk.movingApart()),
    CAMPAIGN_UNSTOPPABLE(BrokenDesk.unstoppable()),
    CAMPAIGN_STOPS_LATE(BrokenDesk.stoppingLate()),
    EDITS_APART_FROM_THE_TRAIL(BrokenDesk.revisingApart()),
    NOTES_APART_FROM_THE_TRAIL(BrokenDesk.notingApart()),
    TAKES_COMMITS_FOR_GRANTED(BrokenDesk.takingCommitsForGranted()),
    REPLAY_LETS_GO_APART(BrokenDesk.lettingGoApart()),
    REPLAY_WITHOUT_DOOR(BrokenDesk.withoutDoor()),
    REPLAY_BEHIND_THE_LIVE(BrokenDesk.behindTheLive()),
    REPLAY_LEAVES_LEASES(BrokenDesk.leavingLeases());

    private final BrokenMail mail;
    private final BrokenDesk admin;

    BrokenEngine() {
        this(BrokenMail.NONE, BrokenDesk.NONE);
    }

    BrokenEngine(BrokenMail mail) {
        this(mail, BrokenDesk.NONE);
    }

    BrokenEngine(BrokenDesk admin) {
        this(BrokenMail.NONE, admin);
    }

    BrokenEngine(BrokenMail mail, BrokenDesk admin) {
        this.mail = mail;
        this.admin = admin;
    }

    /** What is taken out of sending, publishing and trying. */
    BrokenMail mail() {
        return mail;
    }

    /** The leases with the thing taken out. */
    LeaseStore decorate(LeaseStore leases) {
        return mail.decorate(leases);
    }

    /** The leases as they are taken away. */
    LeaseStore reaping(LeaseStore leases, InstantSource clock) {
        return decorate(leases);
    }

    /** Who reads what, with the thing taken out. */
    PartitionStore decorate(PartitionStore owners) {
        return owners;
    }

    /** The commands with the thing taken out. */
    CommandStore decorate(CommandStore commands) {
        return new CommandDecorator(commands);
    }

    /** The store that commands work on. */
    InboxStore behindCommands(InboxStore store) {
        return admin.behind(decorate(store));
    }

    /** Everything that commands work on, with the thing taken out. */
    AdminStores decorate(AdminStores adminStores, InboxStore store) {
        return admin.decorate(adminStores.with(decorate(adminStores.commands())), store);
    }

    /** Whether a command takes messages as they are, whatever somebody saw before. */
    boolean looksAgain() {
        return false;
    }

    /** The store with the thing taken out. */
    InboxStore decorate(InboxStore store) {
        return mail.decorate(store);
    }

    /** The data source with one statement changed. */
    DataSource rewriting(DataSource real) {
        return mail.rewriting(real);
    }

    InboxHandler wrap(InboxHandler handler) {
        return handler;
    }

    Delivery wrap(Delivery delivery) {
        return delivery;
    }

    void beforeHandling(List<Delivery> deliveries) {}

    private static boolean isToBeTriedAgainByUs(MessageResult result) {
        EntrySnapshot snapshot = result.recorded().main().snapshot();
        return snapshot != null
                && snapshot.owner() == RetryBy.INBOX
                && result.outcome() != null
                && !result.outcome().isFinal();
    }

    private static LeaseStore withoutFence(LeaseStore leases) {
        return new LeaseDecorator(leases) {
            @Override
            public boolean settle(Transaction tx, UUID token, List<Long> rest) {
                super.settle(tx, token, rest);
                return true;
            }
        };
    }

    private static MessageResult asHeld(MessageResult result) {
        return new MessageResult(
                result.recorded(),
                MessageResult.Kind.HELD,
                null,
                null,
                new MessageResult.Held("forgotten", Duration.ZERO),
                result.startedAt());
    }
}
