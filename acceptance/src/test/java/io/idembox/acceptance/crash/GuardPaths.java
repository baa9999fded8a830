// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.Position;
import io.idembox.policy.RetryBy;
import io.idembox.spi.PartitionOwnership;
import io.idembox.spi.ReadPosition;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Paths in which processes come, end and are ended; they read lanes, so whoever comes after is careful. */
final class GuardPaths {

    private GuardPaths() {}

    static List<Path> all() {
        return List.of(
                takenOver(),
                takenOverAfterAFailure(),
                killer(RetryBy.REDELIVERY),
                killer(RetryBy.INBOX),
                stopped(),
                read(lane("read-by-a-source", 3)),
                read(Path.stored("read-by-a-source-and-stored", inLane(2))));
    }

    /** Whoever read the lane is gone without a word; one of the next messages fails at its first try. */
    private static Path takenOver() {
        return lane("taken-over", 3)
                .before(story -> {
                    List<Message> first = story.broker().unacknowledged().subList(0, 1);
                    story.soundNode().deliver(story.broker(), first, story.work());
                })
                .work(Works.failingAtFirst("-2"));
    }

    /** Whoever read the lane tried a message in vain before it was gone; nothing but its mark and its failure is there. */
    private static Path takenOverAfterAFailure() {
        return lane("taken-over-after-a-failure", 2).before(story -> {
            List<Message> first = story.broker().unacknowledged().subList(0, 1);
            story.soundNode().deliver(story.broker(), first, context -> {
                throw new IllegalStateException("not now");
            });
        });
    }

    /** One message ends every process that handles it, until it is set aside; the others are not concerned. */
    private static Path killer(RetryBy by) {
        return lane("killer-" + by.name().toLowerCase(Locale.ROOT), 3)
                .policy(Path.DIRECT.retry(Path.DIRECT.retry().by(by)))
                .work(story -> context -> {
                    story.effect(context);
                    if (Works.isFor(context, "-2")) {
                        throw new Node.Killed();
                    }
                })
                .ends("-2", End.CRASHED);
    }

    /** A process stops on purpose; whoever comes after need not be careful. */
    private static Path stopped() {
        return lane("stopped", 2).act((story, node) -> {
            story.deliver(node, story.broker().unacknowledged());
            node.stop();
        });
    }

    /** A source takes the lane, brings its messages, writes down how far it came, and gives the lane back. */
    private static Path read(Path path) {
        return path.act((story, node) -> {
            Position first = story.broker().sent().get(0).position().orElseThrow();
            PartitionOwnership ownership = node.lanes().take(first.channel(), first.partition());
            story.deliver(node, story.broker().unacknowledged());
            if (story.broker().unacknowledged().isEmpty()) {
                node.lanes().savePositions(Map.of(ownership, new ReadPosition("topic", 0, 4)));
            }
            ownership.release();
        });
    }

    private static Path lane(String name, int count) {
        return Path.direct(name, inLane(count)).withWorkers();
    }

    private static Function<String, List<Message>> inLane(int count) {
        return id -> IntStream.rangeClosed(1, count)
                .mapToObj(nr -> Path.message(id, nr).at(new Position(id, 0, nr)))
                .toList();
    }
}
