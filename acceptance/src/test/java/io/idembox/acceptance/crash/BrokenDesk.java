// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Payload;
import io.idembox.admin.Campaign;
import io.idembox.admin.ReplayRange;
import io.idembox.internal.admin.AdminStores;
import io.idembox.internal.admin.CampaignRow;
import io.idembox.internal.admin.CampaignStore;
import io.idembox.internal.admin.CommandStore;
import io.idembox.internal.admin.ReplayStore;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import java.util.List;
import java.util.UUID;

/** Campaigns, revisions, notes and replays, with one thing taken out; this one with nothing. */
class BrokenDesk {

    static final BrokenDesk NONE = new BrokenDesk();

    /** The store that all of them work on. */
    InboxStore behind(InboxStore store) {
        return store;
    }

    CommandStore decorate(CommandStore commands, InboxStore store) {
        return commands;
    }

    CampaignStore decorate(CampaignStore campaigns, InboxStore store) {
        return new CampaignDecorator(campaigns);
    }

    ReplayStore decorate(ReplayStore replays, InboxStore store) {
        return new ReplayDecorator(replays);
    }

    final AdminStores decorate(AdminStores adminStores, InboxStore store) {
        return new AdminStores(
                adminStores.rows(),
                decorate(adminStores.commands(), store),
                adminStores.pauses(),
                decorate(adminStores.campaigns(), store),
                adminStores.replays().map(replays -> decorate(replays, store)),
                adminStores.audit());
    }

    /** Keeps a revision in another transaction than the operation. */
    static BrokenDesk revisingApart() {
        return new BrokenDesk() {
            @Override
            CommandStore decorate(CommandStore commands, InboxStore store) {
                return new CommandDecorator(commands) {
                    @Override
                    public void revise(Transaction tx, long arrival, Payload payload) {
                        apart(store, apart -> super.revise(apart, arrival, payload));
                    }
                };
            }
        };
    }

    /** Writes a note in another transaction than the operation. */
    static BrokenDesk notingApart() {
        return new BrokenDesk() {
            @Override
            CommandStore decorate(CommandStore commands, InboxStore store) {
                return new CommandDecorator(commands) {
                    @Override
                    public void note(Transaction tx, RegisteredConsumer consumer, UUID group, Note note) {
                        apart(store, apart -> super.note(apart, consumer, group, note));
                    }
                };
            }
        };
    }

    /** Answers whatever became of the commit. */
    static BrokenDesk takingCommitsForGranted() {
        return new BrokenDesk() {
            @Override
            InboxStore behind(InboxStore store) {
                return new StoreDecorator(store) {
                    @Override
                    public Transaction begin() {
                        return new TransactionDecorator(super.begin()) {
                            @Override
                            public void commit() {
                                try {
                                    super.commit();
                                } catch (TransactionFailed unlikely) {
                                    // It will have worked.
                                }
                            }
                        };
                    }
                };
            }
        };
    }

    private static void apart(InboxStore store, java.util.function.Consumer<Transaction> work) {
        try (Transaction apart = store.beginAside()) {
            work.accept(apart);
            apart.commit();
        }
    }

    /** Moves a campaign on in another transaction than its step. */
    static BrokenDesk movingApart() {
        return new BrokenDesk() {
            @Override
            CampaignStore decorate(CampaignStore campaigns, InboxStore store) {
                return new CampaignDecorator(campaigns) {
                    @Override
                    public boolean advance(Transaction tx, CampaignRow campaign, Move move) {
                        boolean[] moved = new boolean[1];
                        apart(store, apart -> moved[0] = super.advance(apart, campaign, move));
                        return moved[0];
                    }
                };
            }
        };
    }

    /** Stops a campaign whatever somebody has said since it was judged. */
    static BrokenDesk stoppingLate() {
        return new BrokenDesk() {
            @Override
            CampaignStore decorate(CampaignStore campaigns, InboxStore store) {
                return new CampaignDecorator(campaigns) {
                    @Override
                    public boolean stop(Transaction tx, CampaignRow campaign, String note) {
                        return change(
                                tx,
                                campaign.operation().id(),
                                List.of(Campaign.State.RUNNING),
                                Campaign.State.STOPPED,
                                note);
                    }
                };
            }
        };
    }

    /** Does a step whatever somebody has said meanwhile. */
    static BrokenDesk unstoppable() {
        return new BrokenDesk() {
            @Override
            CampaignStore decorate(CampaignStore campaigns, InboxStore store) {
                return new CampaignDecorator(campaigns) {
                    @Override
                    public boolean advance(Transaction tx, CampaignRow campaign, Move move) {
                        super.advance(tx, campaign, move);
                        return true;
                    }
                };
            }
        };
    }

    /** Lets messages go in another transaction than the step. */
    static BrokenDesk lettingGoApart() {
        return new BrokenDesk() {
            @Override
            ReplayStore decorate(ReplayStore replays, InboxStore store) {
                return new ReplayDecorator(replays) {
                    @Override
                    public Released release(
                            Transaction tx, RegisteredConsumer consumer, int generation, List<Long> arrivals) {
                        Released[] released = new Released[1];
                        apart(store, apart -> released[0] = super.release(apart, consumer, generation, arrivals));
                        return released[0];
                    }
                };
            }
        };
    }

    /** Begins whoever is being handled. */
    static BrokenDesk withoutDoor() {
        return new BrokenDesk() {
            @Override
            ReplayStore decorate(ReplayStore replays, InboxStore store) {
                return new ReplayDecorator(replays) {
                    @Override
                    public void lockConsumer(Transaction tx, RegisteredConsumer consumer) {}
                };
            }
        };
    }

    /** Leaves those where they are that are due. */
    static BrokenDesk behindTheLive() {
        return new BrokenDesk() {
            @Override
            ReplayStore decorate(ReplayStore replays, InboxStore store) {
                return new ReplayDecorator(replays) {
                    @Override
                    public void queueAhead(
                            Transaction tx, RegisteredConsumer consumer, int generation, ReplayRange range) {}
                };
            }
        };
    }

    /** Leaves leases to whoever has them. */
    static BrokenDesk leavingLeases() {
        return new BrokenDesk() {
            @Override
            ReplayStore decorate(ReplayStore replays, InboxStore store) {
                return new ReplayDecorator(replays) {
                    @Override
                    public void takeLeases(Transaction tx, RegisteredConsumer consumer) {}
                };
            }
        };
    }
}
