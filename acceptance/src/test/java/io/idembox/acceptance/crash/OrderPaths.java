// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Paths of order: by arrival, and by the places that messages say they have. */
final class OrderPaths {

    private static final ConsumerPolicy HOLDING = Path.DIRECT.ordering(Ordering.HOLD);

    private static final ConsumerPolicy RETRYING_ITSELF =
            HOLDING.retry(HOLDING.retry().by(RetryBy.INBOX));

    static final SequencePolicy GUARDED =
            SequencePolicy.by(SequenceNumber.header("place")).startingAt(1);

    private static final Duration PATIENCE = Node.LEASE.dividedBy(2);

    private OrderPaths() {}

    static List<Path> all() {
        return List.of(
                inOrder(),
                heldByAFailure(),
                passing(),
                directInOrder(),
                behindAFailedOne(),
                inSequence(),
                directInSequence(),
                gapGivenUp(),
                gapParked(),
                gapFilled());
    }

    /** Three messages of one key, the second of which fails at first; one of another key. */
    private static Path inOrder() {
        return Path.stored(
                        "stored-in-order",
                        id -> IntStream.rangeClosed(1, 4)
                                .mapToObj(i -> Path.message(id, i).keyed(i == 4 ? "other" + id : "k" + id))
                                .toList())
                .policy(HOLDING)
                .oneByOne()
                .act((story, node) -> {
                    for (Message message : story.broker().unacknowledged()) {
                        node.store(story.broker(), List.of(message));
                        if (story.broker().unacknowledged().contains(message)) {
                            // A broker that keeps order brings nothing of a key before what was there first is
                            // acknowledged.
                            return;
                        }
                    }
                    node.work(story.work());
                })
                .work(Works.failingAtFirst("-2"));
    }

    /** The first message of a batch fails at its first try and holds its neighbour of the same key. */
    private static Path heldByAFailure() {
        return Path.stored("stored-held", Path.ofOneKey(2)).policy(HOLDING).work(Works.failingAtFirst("-1"));
    }

    /** The first message of a key never works, and the policy lets the next one pass. */
    private static Path passing() {
        return Path.stored("stored-passing", Path.ofOneKey(3))
                .policy(Path.DIRECT.ordering(Ordering.SKIP_PARKED).retry(Path.TWICE))
                .work(Works.failingWith("-1"))
                .ends("-1", End.FAILED);
    }

    /** One batch with three messages of one key, the last of which fails at first; the inbox tries it again. */
    private static Path directInOrder() {
        return Path.direct("direct-in-order", Path.ofOneKey(3))
                .policy(HOLDING)
                .withWorkers()
                .work(Works.failingAtFirst("-3"));
    }

    /** In direct mode, a message that the inbox tries again itself holds the next one of its key. */
    private static Path behindAFailedOne() {
        return Path.direct("behind-a-failed-one", Path.ofOneKey(2))
                .policy(RETRYING_ITSELF)
                .withWorkers()
                .work(Works.failingAtFirst("-1"));
    }

    /** The third comes before the second, which fails at first; and the first place is taken a second time. */
    private static Path inSequence() {
        return sequence(Path.stored("in-sequence", placed(1, 3, 2, 1)).policy(HOLDING.sequence(GUARDED)));
    }

    /** The same in direct mode. */
    private static Path directInSequence() {
        return sequence(Path.direct("direct-in-sequence", placed(1, 3, 2, 1))
                .policy(RETRYING_ITSELF.sequence(GUARDED))
                .withWorkers());
    }

    private static Path sequence(Path path) {
        return path.inOrderOf(Comparator.comparing(OrderPaths::placeOf))
                .work(Works.failingAtFirst("-3"))
                .ends("-4", End.PASSED);
    }

    /** The second never comes and is given up; the third goes on. */
    private static Path gapGivenUp() {
        return gap(Path.stored("gap-given-up", placed(1, 3)).policy(HOLDING.sequence(GUARDED.skipGapsAfter(PATIENCE))));
    }

    /** The second never comes, and what waits for it is set aside. */
    private static Path gapParked() {
        return gap(Path.stored("gap-parked", placed(1, 3))
                .policy(HOLDING.sequence(GUARDED.parkGapsAfter(PATIENCE)))
                .ends("-2", End.BEHIND_A_GAP));
    }

    /** The second comes in time and is unfinished when the time is over: it is not missing, and not given up. */
    private static Path gapFilled() {
        return Path.stored("gap-filled", placed(1, 3, 2))
                .policy(HOLDING.sequence(GUARDED.skipGapsAfter(PATIENCE)))
                .inOrderOf(Comparator.comparing(OrderPaths::placeOf))
                .before(story -> {
                    Node sound = story.soundNode();
                    List<Message> sent = story.broker().sent();
                    sound.store(story.broker(), sent.subList(0, 2));
                    sound.work(story.work());
                    sound.store(story.broker(), sent.subList(2, 3));
                    story.passTime();
                })
                .insist((story, node) -> node.lookAfterGaps())
                .act((story, node) -> {
                    node.lookAfterGaps();
                    node.work(story.work());
                });
    }

    private static Path gap(Path path) {
        return path.before(story -> {
                    story.deliverUnharmed(story.broker().sent());
                    story.passTime();
                })
                .insist((story, node) -> node.lookAfterGaps())
                .act((story, node) -> {
                    node.lookAfterGaps();
                    node.work(story.work());
                });
    }

    /** Messages of one key that say which places they have. */
    static Function<String, List<Message>> placed(int... sequenceNumbers) {
        return id -> IntStream.range(0, sequenceNumbers.length)
                .mapToObj(nth -> Path.message(id, nth + 1)
                        .keyed("k" + id)
                        .header("place", Integer.toString(sequenceNumbers[nth])))
                .toList();
    }

    private static int placeOf(Message message) {
        return Integer.parseInt(message.headers().text("place").orElseThrow());
    }
}
