// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.Message;
import io.idembox.audit.AuditReport;
import io.idembox.policy.Ordering;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finishes a case as brokers, workers, housekeeping and operators would, and checks what was promised. */
final class Guarantees {

    private static final int ROUNDS = 30;

    /** Housekeeping looks for stragglers, operators decide: later than workers work. */
    private static final int SWEEPING = 1;

    private Guarantees() {}

    /** What is violated; empty when nothing is. */
    static Optional<String> check(Case world, boolean inOrder) {
        Optional<String> wrong =
                finish(world).or(() -> effects(world)).or(() -> inOrder ? order(world) : Optional.empty());
        if (wrong.isEmpty() && world.fixture().isReplayedInTheEnd()) {
            Tasks.startReplay(world, world.node());
            wrong = finish(world)
                    .or(() -> effects(world))
                    .or(() -> inOrder ? order(world) : Optional.empty())
                    .map(what -> "in a replay afterwards: " + what);
        }
        return wrong.or(() -> attempts(world))
                .or(() -> world.fixture().sends() ? publications(world) : Optional.empty())
                .or(() -> trail(world));
    }

    private static Optional<String> finish(Case world) {
        Node node = world.node();
        for (int round = 0; !isOver(world); round++) {
            if (round == ROUNDS) {
                return Optional.of("stuck: not acknowledged " + world.broker().unacknowledged() + ", not finished "
                        + world.unfinished() + ", campaigns " + world.openCampaigns());
            }
            goOn(world, node, round);
        }
        return world.complaints().stream().findFirst();
    }

    private static boolean isOver(Case world) {
        return world.broker().unacknowledged().isEmpty()
                && world.unfinished().isEmpty()
                && world.openCampaigns().isEmpty();
    }

    private static void goOn(Case world, Node node, int round) {
        world.expireLeases();
        if (node.admin().paused(Node.CONSUMER).isPresent()) {
            node.admin().resume(Node.CONSUMER, Case.operation("resume"));
        }
        node.reap();
        node.advanceCampaigns();
        if (round >= SWEEPING) {
            world.broker().sendWhatIsMissing();
        }
        world.deliver(node, world.broker().unacknowledged());
        node.work();
        if (node.sends()) {
            node.outgoing().reap();
            node.outgoing().publishAll();
            node.outgoing().sweepStragglers();
        }
        if (world.fixture().policy().sequence() != null) {
            node.lookForGaps();
        }
        if (round >= SWEEPING) {
            node.sweepStragglers();
            world.decide(node);
        }
        node.work();
    }

    /** Each message has its effect once. */
    private static Optional<String> effects(Case world) {
        List<String> effects = world.ground().list("select id from effect");
        List<String> steps = world.ground().list("select id from step_effect");
        for (Message message : world.broker().sent()) {
            String id = message.id().orElseThrow();
            int times = Collections.frequency(effects, id);
            if (times > 1) {
                return Optional.of("doubled: " + id + " has " + times + " effects");
            }
            if (times == 0 && !world.fixture().mayForget(id)) {
                return Optional.of("lost: " + id + " was acknowledged and has no effect");
            }
            if (Collections.frequency(steps, id) > 1 && !world.hasReplayed()) {
                return Optional.of("doubled: " + id + " did its step twice");
            }
        }
        return Optional.empty();
    }

    /** The effects of each key are in the order in which its messages were sent. */
    private static Optional<String> order(Case world) {
        if (world.fixture().policy().ordering() == Ordering.NONE) {
            return Optional.empty();
        }
        List<String> effects = world.ground().list("select id from effect order by seq");
        Map<String, List<String>> keys = new LinkedHashMap<>();
        for (Message message : world.broker().sent()) {
            message.key()
                    .ifPresent(key -> keys.computeIfAbsent(key, first -> new ArrayList<>())
                            .add(message.id().orElseThrow()));
        }
        for (List<String> ids : keys.values()) {
            List<String> found = effects.stream().filter(ids::contains).toList();
            List<String> expected = ids.stream().filter(found::contains).toList();
            if (!found.equals(expected)) {
                return Optional.of("out of order: effects " + found + " instead of " + expected);
            }
        }
        return Optional.empty();
    }

    /** Only failures of handlers are counted, and leases that expired. */
    private static Optional<String> attempts(Case world) {
        List<String> charged = world.ground()
                .list("select i.message_id || ' ' || a.error_class from idembox_attempt a join idembox_inbox i"
                        + " on i.arrival = a.arrival where a.error_class <> 'LeaseExpired'"
                        + " and left(i.message_id, 1) not in ('f', 't', 'p', 'q')");
        return charged.isEmpty()
                ? Optional.empty()
                : Optional.of("charged: no handler failed, but there are " + charged);
    }

    /** What was sent with an effect is published, and for the first time in the order of commits. */
    private static Optional<String> publications(Case world) {
        List<String> expected = new ArrayList<>();
        for (String cause : world.ground().list("select id from effect order by pg_xact_commit_timestamp(xmin), seq")) {
            Outgoing.of(cause).forEach(each -> expected.add(each.id().orElseThrow()));
        }
        return world.published().equals(expected)
                ? Optional.empty()
                : Optional.of("outbox: published " + world.published() + " instead of " + expected);
    }

    private static Optional<String> trail(Case world) {
        AuditReport report = world.node().audit().verify(List.of(), List.of());
        return report.isIntact() ? Optional.empty() : Optional.of("audit: the trail says " + report.findings());
    }
}
