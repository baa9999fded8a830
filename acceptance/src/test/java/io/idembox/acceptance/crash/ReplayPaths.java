// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Replays;
import io.idembox.internal.jdbc.Database;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Paths of what is built anew. The effects are the projection: emptied when a replay begins. On PostgreSQL, which alone can. */
final class ReplayPaths {

    private static final ConsumerPolicy PROJECTION =
            Path.DIRECT.recording(Recording.FULL).replay(Replay.NO_EFFECTS);
    private static final ConsumerPolicy IN_ORDER = PROJECTION.ordering(Ordering.HOLD);
    private static final String REPLAY = "replay";

    private ReplayPaths() {}

    static List<Path> all() {
        return List.of(replay(), cancelled(), besideAWorker(), besideADelivery());
    }

    private static Path inOrder(String name, int messages) {
        return Path.stored(name, Path.ofOneKey(messages))
                .onlyOn(Database.POSTGRESQL)
                .policy(IN_ORDER);
    }

    /** Two messages of a key are handled again. The third was stored before that and has not run; the fourth comes meanwhile. */
    private static Path replay() {
        return Path.stored("replay", OrderPaths.placed(1, 2, 3, 4))
                .onlyOn(Database.POSTGRESQL)
                .policy(IN_ORDER.sequence(OrderPaths.GUARDED))
                .withMainFaults()
                .before(story -> history(story, 2))
                .insist(ReplayPaths::rebuild)
                .act(ReplayPaths::rebuild)
                .until(story -> isIn(story, "DONE"))
                .always(ReplayPaths::wrong)
                .inTheEnd(story -> leftOver(story)
                        .or(() -> Books.complete(story, REPLAY))
                        .or(() -> Books.trail(story, "start", "replay#1", "replay#2")));
    }

    /** So many are through, and the next one is stored. */
    private static void history(Story story, int through) {
        Node sound = story.soundNode();
        List<Message> sent = story.broker().sent();
        sound.store(story.broker(), sent.subList(0, through));
        sound.work(story::effect);
        sound.store(story.broker(), sent.subList(through, through + 1));
    }

    private static void rebuild(Story story, Node node) {
        begin(story, node, ReplayPaths::empty);
        node.takeOn();
        node.store(story.broker(), story.broker().unacknowledged());
        goOn(story, node);
        goOn(story, node);
    }

    private static void begin(Story story, Node node, Replays.Preparation preparation) {
        Replays replays = node.admin().replays();
        ReplayPlan plan = replays.plan(
                ReplayRange.of(Node.CONSUMER), CampaignOptions.defaults().canary(1), story.operation(REPLAY));
        replays.start(plan.id(), story.operation("start"), preparation);
    }

    private static void empty(Connection connection) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("delete from effect")) {
            delete.execute();
        }
    }

    private static void goOn(Story story, Node node) {
        node.work(story.work());
        node.takeOn();
    }

    private static void beginAndGoOn(Story story, Node node) {
        begin(story, node, ReplayPaths::empty);
        node.takeOn();
        goOn(story, node);
    }

    private static boolean isIn(Story story, String state) {
        return Books.stateOf(story, REPLAY).equals(state);
    }

    /** What has not been let go is held, and nothing else is; it is the first replay. */
    private static Optional<String> wrong(Story story) {
        List<String> held = story.world().list("select count(*) from idembox_entry where owner = 'REPLAY'");
        List<String> toBeHeld = story.world()
                .list(
                        "select coalesce(sum(total - given), 0) from idembox_campaign where state in ('RUNNING', 'STOPPED')");
        List<String> generations = story.world()
                .list("select generation from idembox_campaign where state <> 'PLANNED' union"
                        + " select generation from idembox_entry where generation > 0");
        if (!held.equals(toBeHeld)) {
            return Optional.of("torn: " + held + " messages are held instead of " + toBeHeld);
        }
        if (!List.of("1").containsAll(generations)) {
            return Optional.of("doubled: the replay is of generations " + generations);
        }
        return Books.campaign(story, REPLAY);
    }

    private static Optional<String> leftOver(Story story) {
        List<String> entries = story.world().list("select state || ' ' || owner from idembox_entry");
        return entries.isEmpty() ? Optional.empty() : Optional.of("left over: " + entries);
    }

    /** One of two was handled again when somebody gives it up: the other one is settled as before, and the third goes on. */
    private static Path cancelled() {
        return inOrder("replay-cancelled", 3)
                .withMainFaults()
                .before(story -> {
                    history(story, 2);
                    Node sound = story.soundNode();
                    begin(story, sound, ReplayPaths::empty);
                    sound.takeOn();
                    sound.work(story.work());
                })
                .insist(ReplayPaths::cancel)
                .act(ReplayPaths::cancel)
                .until(story -> isIn(story, "CANCELLED"))
                .ends("-2", End.PASSED)
                .always(ReplayPaths::wrong)
                .inTheEnd(story -> leftOver(story).or(() -> Books.trail(story, "start", "replay#1", "cancel")));
    }

    private static void cancel(Story story, Node node) {
        node.admin().campaigns().cancel(story.operation(REPLAY).id(), story.operation("cancel"));
        node.takeOn();
        goOn(story, node);
    }

    /** A replay begins while a worker is inside its handler: it does not get done, tries again afterwards, and pays nothing. */
    private static Path besideAWorker() {
        return Path.stored("replay-beside-a-worker", Path.messages(2))
                .onlyOn(Database.POSTGRESQL)
                .costingNothing()
                .policy(PROJECTION)
                .before(story -> history(story, 1))
                .insist(ReplayPaths::beginAndGoOn)
                .act((story, node) -> {
                    Doorstep doorstep = new Doorstep(story.world());
                    node.work(beginningInside(story, doorstep), node.claim());
                    doorstep.leave();
                    node.takeOn();
                    goOn(story, node);
                })
                .until(story -> isIn(story, "DONE"))
                .always(ReplayPaths::wrong)
                .inTheEnd(story -> leftOver(story).or(() -> Books.complete(story, REPLAY)));
    }

    /** Has its effect; then a replay begins, which takes its time. */
    private static InboxHandler beginningInside(Story story, Doorstep doorstep) {
        return context -> {
            story.effect(context);
            story.once(
                    "begin",
                    () -> doorstep.whileInside(
                            () -> begin(story, story.newNode(), doorstep.slowly(ReplayPaths::empty))));
        };
    }

    /** A replay is to begin while a delivery is being handled: it waits until that one is through, and takes it in. */
    private static Path besideADelivery() {
        return Path.direct("replay-beside-a-delivery", Path.messages(2))
                .onlyOn(Database.POSTGRESQL)
                .withWorkers()
                .withoutFaults()
                .policy(PROJECTION)
                .before(story -> story.deliverUnharmed(story.broker().sent().subList(0, 1)))
                .insist(ReplayPaths::beginAndGoOn)
                .act((story, node) -> {
                    Doorstep doorstep = new Doorstep(story.world());
                    node.deliver(story.broker(), story.broker().unacknowledged(), beginningInside(story, doorstep));
                    doorstep.leave();
                    node.takeOn();
                    goOn(story, node);
                })
                .until(story -> isIn(story, "DONE"))
                .always(ReplayPaths::wrong)
                .inTheEnd(story -> leftOver(story).or(() -> Books.complete(story, REPLAY)));
    }
}
