// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.admin.Campaign;
import io.idembox.admin.Operation;
import io.idembox.internal.admin.CampaignRow;
import io.idembox.internal.admin.CampaignStore;
import io.idembox.internal.admin.StepOutcomeCounts;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.List;
import java.util.Optional;

/** The campaigns of the store, to be changed in one point. */
class CampaignDecorator implements CampaignStore {

    private final CampaignStore real;

    CampaignDecorator(CampaignStore real) {
        this.real = real;
    }

    @Override
    public boolean plan(RegisteredConsumer consumer, CampaignRow campaign, List<Step> steps) {
        return real.plan(consumer, campaign, steps);
    }

    @Override
    public Optional<CampaignRow> find(String id) {
        return real.find(id);
    }

    @Override
    public List<CampaignRow> latest(int atMost) {
        return real.latest(atMost);
    }

    @Override
    public List<CampaignRow> running() {
        return real.running();
    }

    @Override
    public Optional<Step> step(String id, long number) {
        return real.step(id, number);
    }

    @Override
    public boolean advance(Transaction tx, CampaignRow campaign, Move move) {
        return real.advance(TransactionDecorator.realOf(tx), campaign, move);
    }

    @Override
    public boolean start(Transaction tx, String id, List<Campaign.State> from, Operation by) {
        return real.start(TransactionDecorator.realOf(tx), id, from, by);
    }

    @Override
    public boolean change(Transaction tx, String id, List<Campaign.State> from, Campaign.State to, String note) {
        return real.change(TransactionDecorator.realOf(tx), id, from, to, note);
    }

    @Override
    public boolean stop(Transaction tx, CampaignRow campaign, String note) {
        return real.stop(TransactionDecorator.realOf(tx), campaign, note);
    }

    @Override
    public int generation(Transaction tx, String id) {
        return real.generation(TransactionDecorator.realOf(tx), id);
    }

    @Override
    public List<Long> changed(List<String> operations) {
        return real.changed(operations);
    }

    @Override
    public StepOutcomeCounts countOutcomes(RegisteredConsumer consumer, List<Long> arrivals) {
        return real.countOutcomes(consumer, arrivals);
    }
}
