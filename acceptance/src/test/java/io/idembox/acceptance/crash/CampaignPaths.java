// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Command;
import io.idembox.admin.Filter;
import io.idembox.admin.Status;
import java.util.List;

/** Paths of commands for many messages, whoever goes on with them. */
final class CampaignPaths {

    private static final String CAMPAIGN = "campaign";

    private CampaignPaths() {}

    static List<Path> all() {
        return List.of(campaign(), resumedBeside(), cancelledBeside(), forgotten());
    }

    /**
     * Three messages failed for good, and somebody wants all of them redriven. The first one, which is the canary, fails again: the
     * campaign stops, and somebody lets it go on.
     */
    private static Path campaign() {
        return Path.stored("campaign", Path.messages(3))
                .withMainFaults()
                .policy(Path.DIRECT.retry(Path.TWICE))
                .before(CampaignPaths::allFailed)
                .insist(CampaignPaths::redriveAll)
                .act(CampaignPaths::redriveAll)
                .until(story -> Books.stateOf(story, CAMPAIGN).equals("DONE"))
                .work(Works.failingWith("-1"))
                .ends("-1", End.FAILED)
                .failures(4)
                .always(story -> Books.campaign(story, CAMPAIGN))
                .inTheEnd(story -> Books.complete(story, CAMPAIGN)
                        .or(() -> Books.trail(story, "start", "campaign#1", "resume", "campaign#2")));
    }

    /** A node has seen that too many failed. Before it stops the campaign somebody else does, and lets it go on: it goes on. */
    private static Path resumedBeside() {
        return Path.stored("campaign-resumed-beside", Path.messages(2))
                .withoutFaults()
                .policy(Path.DIRECT.retry(Path.TWICE))
                .before(CampaignPaths::canaryOut)
                .insist(CampaignPaths::goOn)
                .act((story, node) -> {
                    story.newNodeBefore(
                                    "set state",
                                    () -> story.meanwhile(other -> {
                                        other.takeOn();
                                        resume(story, other);
                                    }))
                            .takeOn();
                    goOn(story, node);
                })
                .until(story -> Books.stateOf(story, CAMPAIGN).equals("DONE"))
                .work(Works.failingWith("-1"))
                .ends("-1", End.FAILED)
                .failures(4)
                .inTheEnd(story -> Books.complete(story, CAMPAIGN)
                        .or(() -> Books.trail(story, "start", "campaign#1", "resume", "campaign#2")));
    }

    private static void canaryOut(Story story) {
        allFailed(story);
        Node sound = story.soundNode();
        start(story, sound);
        sound.takeOn();
        sound.work(story.work());
    }

    private static void resume(Story story, Node node) {
        node.admin().campaigns().start(story.operation(CAMPAIGN).id(), story.operation("resume"));
    }

    private static void allFailed(Story story) {
        Node sound = story.soundNode();
        sound.store(story.broker(), story.broker().unacknowledged());
        sound.work(context -> {
            throw new IllegalStateException("not yet");
        });
    }

    private static void redriveAll(Story story, Node node) {
        Campaigns campaigns = node.admin().campaigns();
        start(story, node);
        goOn(story, node);
        String id = story.operation(CAMPAIGN).id();
        if (campaigns.find(id).orElseThrow().state() == Campaign.State.STOPPED) {
            resume(story, node);
        }
        goOn(story, node);
    }

    private static void start(Story story, Node node) {
        Campaign plan = plan(story, node);
        node.admin().campaigns().start(plan.id(), story.operation("start"));
    }

    private static Campaign plan(Story story, Node node) {
        Campaign plan = node.admin()
                .campaigns()
                .plan(
                        Command.REDRIVE,
                        Filter.of(Node.CONSUMER).status(Status.FAILED_TERMINAL),
                        CampaignOptions.defaults().canary(1),
                        story.operation(CAMPAIGN));
        story.complainUnless(
                plan.progress().total() == story.broker().sent().size(), "whoever planned was told " + plan);
        return plan;
    }

    /** Some steps, as every node does them. */
    private static void goOn(Story story, Node node) {
        node.takeOn();
        node.work(story.work());
        node.takeOn();
    }

    /** Somebody cancels the campaign while a node is in the middle of a step: it is not done. */
    private static Path cancelledBeside() {
        return Path.stored("campaign-cancelled-beside", Path.messages(2))
                .withoutFaults()
                .policy(Path.DIRECT.retry(Path.TWICE))
                .before(CampaignPaths::canaryOut)
                .insist(CampaignPaths::goOn)
                .act((story, node) -> {
                    story.newNodeBefore("set position", () -> story.meanwhile(other -> cancel(story, other)))
                            .takeOn();
                    goOn(story, node);
                })
                .until(story -> Books.stateOf(story, CAMPAIGN).equals("CANCELLED"))
                .ends("-2", End.FAILED)
                .failures(2)
                .inTheEnd(story ->
                        Books.campaign(story, CAMPAIGN).or(() -> Books.trail(story, "start", "campaign#1", "cancel")));
    }

    private static void cancel(Story story, Node node) {
        node.admin().campaigns().cancel(story.operation(CAMPAIGN).id(), story.operation("cancel"));
    }

    /** Nobody has started a plan for long: it is forgotten together with its messages, or not at all. */
    private static Path forgotten() {
        return Path.stored("plan-forgotten", Path.messages(2))
                .withMainFaults()
                .policy(Path.DIRECT.retry(Path.TWICE))
                .before(story -> {
                    allFailed(story);
                    plan(story, story.soundNode());
                })
                .insist((story, node) -> node.forgetPlans())
                .act((story, node) -> node.forgetPlans())
                .until(story -> Books.stateOf(story, CAMPAIGN).isEmpty())
                .ends("-1", End.FAILED)
                .ends("-2", End.FAILED)
                .failures(2)
                .always(story -> Books.planned(story, CAMPAIGN));
    }
}
