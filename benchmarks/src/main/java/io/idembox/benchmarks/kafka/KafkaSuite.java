// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.kafka;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageHandler;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.accounts.HandWritten;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Limit;
import io.idembox.benchmarks.rig.Options;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Pair;
import io.idembox.benchmarks.rig.Results;
import io.idembox.benchmarks.rig.Rig;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Suite;
import io.idembox.benchmarks.rig.Surroundings;
import io.idembox.policy.Mode;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** A filled topic, from the start of the consumer until the last effect, against a poll loop written by hand. */
public final class KafkaSuite implements Suite {

    /** Who handles, who claims, who keeps books and house. */
    private static final int CONNECTIONS = 12;

    private static final MessageHandler<Message> AT_ONCE =
            (message, context) -> Accounts.deposit(context.connection(), message);
    private static final MessageHandler<Message> LATER = (message, context) -> Accounts.depositLater(context);

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public String purpose() {
        return "a filled topic, end to end, against a poll loop written by hand";
    }

    @Override
    public Outcome run(Options options) throws SQLException, IOException {
        try (Arena arena = Arena.open(CONNECTIONS);
                Topics topics = new Topics();
                Rig rig = new Rig(arena, options)) {
            Surroundings surroundings = new Surroundings(arena, options);
            Accounts.create(arena);
            // The tables have to be there before anybody empties them.
            Inbox.on(arena.dataSource()).createSchema().start().close();
            Contestants contestants = Contestants.in(arena, topics, options);
            Results results = rig.run(contestants.pairs(), Limit.time(options.slice()), () -> {
                arena.empty(List.of(
                        HandWritten.TABLE,
                        "idembox_ledger",
                        "idembox_body",
                        "idembox_entry",
                        "idembox_lease",
                        "idembox_outcome"));
                arena.vacuum(List.of("account"));
            });
            return new KafkaReport(contestants, results).outcome(surroundings);
        }
    }

    /** All strategies. */
    record Contestants(Strategy loop, Strategy oneByOne, Strategy later, Strategy fourLanes, Strategy stored) {

        /** A stock takes each about four times a slice, so that starting counts little. */
        static Contestants in(Arena arena, Topics topics, Options options) {
            int unit = (int) (options.slice().toMillis() * (options.quick() ? 2 : 6));
            PollLoop loop = new PollLoop(topics, new HandWritten(arena), unit);
            Strategy oneByOne = new FromTopic(
                    topics,
                    arena,
                    new FromTopic.Setup("direct 500, one by one", Mode.DIRECT, 1, 500, AT_ONCE),
                    3 * unit);
            return new Contestants(
                    loop,
                    oneByOne,
                    new FromTopic(
                            topics,
                            arena,
                            new FromTopic.Setup("direct 500, later", Mode.DIRECT, 1, 500, LATER),
                            10 * unit),
                    new FromTopic(
                            topics,
                            arena,
                            new FromTopic.Setup("direct 500, later, 4 lanes", Mode.DIRECT, 4, 500, LATER),
                            10 * unit),
                    new FromTopic(
                            topics,
                            arena,
                            new FromTopic.Setup("stored 500, later", Mode.STORED, 1, 500, LATER),
                            10 * unit));
        }

        /** In the order of the table. P against itself comes first: it shows how much is noise. */
        List<Strategy> inOrder() {
            return List.of(loop, oneByOne, later, fourLanes, stored);
        }

        List<Pair> pairs() {
            return inOrder().stream().map(each -> new Pair(loop, each, 1)).toList();
        }
    }
}
