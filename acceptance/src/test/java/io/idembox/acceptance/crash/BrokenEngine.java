// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Work;
import io.idembox.internal.admin.CommandStore;
import io.idembox.internal.engine.Claim;
import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.Ending;
import io.idembox.internal.engine.Existing;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Job;
import io.idembox.internal.engine.Keep;
import io.idembox.internal.engine.KeyLock;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.Mark;
import io.idembox.internal.engine.Patience;
import io.idembox.internal.engine.Transaction;
import io.idembox.policy.RetryBy;
import io.idembox.spi.Delivery;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
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
            return Rewriting.of(
                    real, "set constraints all immediate; release savepoint idembox_batch; commit", "commit");
        }
    },

    NO_WRAPPER {
        @Override
        Work wrap(Work work) {
            return context -> work.run(new RawContext(context));
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
            return new StoreDecorator(store) {
                @Override
                public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
                    Inserted inserted = super.insert(tx, consumer, marks, keep);
                    boolean doomed =
                            marks.stream().allMatch(each -> each.candidate().job() instanceof Job.Doomed);
                    return doomed ? claimingAll(this, tx, consumer, marks, inserted) : inserted;
                }
            };
        }
    },

    DUPLICATE_IS_NEW {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
                    return claimingAll(this, tx, consumer, marks, super.insert(tx, consumer, marks, keep));
                }
            };
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
            return new StoreDecorator(store) {
                @Override
                public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
                    Inserted inserted = super.insert(tx, consumer, marks, keep);
                    tx.commit();
                    tx.saveBatch();
                    return inserted;
                }
            };
        }
    },

    UNSORTED_IDS {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
                    List<Mark> shuffled = new ArrayList<>(marks);
                    Collections.shuffle(shuffled, new Random(System.nanoTime()));
                    return super.insert(tx, consumer, shuffled, keep);
                }
            };
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
                public void settle(Transaction tx, Consumer consumer, List<Ending> endings) {
                    super.settle(
                            tx,
                            consumer,
                            endings.stream()
                                    .map(ending -> ending.kind() == Ending.Kind.FAILED ? asHeld(ending) : ending)
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
                public void settle(Transaction tx, Consumer consumer, List<Ending> endings) {
                    super.settle(
                            tx,
                            consumer,
                            endings.stream()
                                    .filter(ending -> ending.kind() != Ending.Kind.HELD)
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
                public void settle(Transaction tx, Consumer consumer, List<Ending> endings) {
                    for (Ending ending : endings) {
                        if (isToBeTriedAgainByUs(ending)) {
                            Blind.fail(
                                    tx.connection(),
                                    consumer,
                                    ending.found().main().arrival());
                        } else {
                            super.settle(tx, consumer, List.of(ending));
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
            return new StoreDecorator(store) {
                @Override
                public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
                    return super.insert(tx, consumer, marks, keep == Keep.ENTRY ? Keep.BODY : keep);
                }
            };
        }
    },

    NO_KEY_LOCK {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public KeyStore keys() {
                    return new KeyDecorator(super.keys()) {
                        @Override
                        public Map<String, KeyLock> lock(
                                Transaction tx, Consumer consumer, Collection<String> names, Patience patience) {
                            Map<String, KeyLock> blind = new HashMap<>();
                            super.lock(tx, consumer, names, patience)
                                    .forEach((name, lock) -> blind.put(name, new KeyLock(lock.number(), null, null)));
                            return blind;
                        }
                    };
                }
            };
        }
    },

    LETS_ALL_PASS {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public KeyStore keys() {
                    return new KeyDecorator(super.keys()) {
                        @Override
                        public void promote(Transaction tx, Consumer consumer, Collection<Long> keys) {
                            Blind.letAllPass(tx.connection());
                        }
                    };
                }
            };
        }
    },

    LETS_NOBODY_PASS {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public KeyStore keys() {
                    return new KeyDecorator(super.keys()) {
                        @Override
                        public void promote(Transaction tx, Consumer consumer, Collection<Long> keys) {}
                    };
                }
            };
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

    CONFLICT_IS_DUPLICATE {
        @Override
        InboxStore decorate(InboxStore store) {
            return new StoreDecorator(store) {
                @Override
                public List<Existing> find(Transaction tx, Consumer consumer, List<Mark> marks) {
                    return super.find(tx, consumer, marks).stream()
                            .map(existing -> withVariantOf(existing, marks))
                            .toList();
                }
            };
        }
    };

    /** The leases with the thing taken out. */
    LeaseStore decorate(LeaseStore leases) {
        return leases;
    }

    /** The commands with the thing taken out. */
    CommandStore decorate(CommandStore commands) {
        return new CommandDecorator(commands);
    }

    /** The store that commands work on. */
    InboxStore behindCommands(InboxStore store) {
        return decorate(store);
    }

    /** Whether a command takes messages as they are, whatever somebody saw before. */
    boolean looksAgain() {
        return false;
    }

    /** The store with the thing taken out. */
    InboxStore decorate(InboxStore store) {
        return store;
    }

    /** The data source with one statement changed. */
    DataSource rewriting(DataSource real) {
        return real;
    }

    Work wrap(Work work) {
        return work;
    }

    Delivery wrap(Delivery delivery) {
        return delivery;
    }

    void beforeHandling(List<Delivery> deliveries) {}

    private static InboxStore.Inserted claimingAll(
            InboxStore store, Transaction tx, Consumer consumer, List<Mark> marks, InboxStore.Inserted inserted) {
        Set<Long> all = new HashSet<>(inserted.arrivals());
        List<Mark> missing = marks.stream()
                .filter(mark -> inserted.arrivals().stream().noneMatch(each -> each % Mark.SLOTS == mark.slot()))
                .toList();
        long high = 0;
        for (Existing existing : store.find(tx, consumer, missing)) {
            // The slot has to fit; the high part is the old row's.
            all.add(existing.arrival() - existing.arrival() % Mark.SLOTS + existing.slot());
            high++;
        }
        return high == 0 ? inserted : new InboxStore.Inserted(all, Set.of());
    }

    private static boolean isToBeTriedAgainByUs(Ending ending) {
        Claim claim = ending.found().main().claim();
        return claim != null
                && claim.owner() == RetryBy.INBOX
                && ending.outcome() != null
                && !ending.outcome().isFinal();
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

    private static Ending asHeld(Ending ending) {
        return new Ending(ending.found(), Ending.Kind.HELD, null, null, "forgotten", ending.startedAt());
    }

    private static Existing withVariantOf(Existing existing, List<Mark> marks) {
        UUID variant = marks.stream()
                .filter(mark -> mark.slot() == existing.slot())
                .map(mark -> mark.candidate().variant())
                .findFirst()
                .orElse(existing.variant());
        return new Existing(existing.slot(), existing.arrival(), variant, existing.entry(), existing.result());
    }
}
