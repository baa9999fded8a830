// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.accounts.HandWritten;
import io.idembox.benchmarks.kafka.Topics;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The relay beside transaction-outbox by gruelbox, what a message takes through both, and handlers that send. */
public final class OutboxSuite implements Suite {

    private static final int MANY_WORKERS = 4;

    /** Workers, who claims or flushes, who sends, who keeps house. */
    private static final int CONNECTIONS = MANY_WORKERS + 8;

    /** Far below what either can do. */
    private static final double STEADY = 100;

    @Override
    public String name() {
        return "outbox";
    }

    @Override
    public String purpose() {
        return "the relay against transaction-outbox by gruelbox, its latency, and handlers that send";
    }

    @Override
    public Outcome run(Options options) throws Exception {
        List<Integer> workers = options.quick() ? List.of(1) : List.of(1, MANY_WORKERS);
        try (Arena arena = Arena.open(CONNECTIONS);
                Topics topics = new Topics();
                Target memory = new MemoryTarget();
                Target kafka = new KafkaTarget(topics);
                Rig rig = new Rig(arena, options)) {
            Surroundings surroundings = new Surroundings(arena, options);
            Accounts.create(arena);
            List<Relays> relays = new ArrayList<>();
            for (Target target : List.of(memory, kafka)) {
                workers.forEach(each -> relays.add(Relays.in(arena, target, each, stock(options))));
            }
            Results drained = drained(relays, arena, rig, options);
            OutboxReport.Latencies latencies = latencies(arena, List.of(memory, kafka), options);
            try (Answers answers = Answers.in(arena)) {
                Results answered = answered(answers, workers, arena, rig, options);
                return new OutboxReport(
                                new OutboxReport.Findings(relays, drained, answers, workers, answered, latencies))
                        .outcome(surroundings);
            }
        }
    }

    /** The peer needs some seconds for it, we a fraction of one. */
    private static int stock(Options options) {
        return (int) (options.slice().toMillis() * (options.quick() ? 1 : 2));
    }

    private static Results drained(List<Relays> relays, Arena arena, Rig rig, Options options) {
        List<Pair> pairs =
                relays.stream().flatMap(each -> each.pairs().stream()).toList();
        List<String> tables = new ArrayList<>();
        for (Office.Opening each :
                List.of(Relays.peer(arena, 1, 1), Relays.ours(arena, 1).get(0))) {
            // The tables have to be there before anybody empties them.
            each.create();
            tables.addAll(each.tables());
        }
        return rig.run(pairs, Limit.time(options.slice()), () -> arena.empty(tables));
    }

    private static Results answered(Answers answers, List<Integer> workers, Arena arena, Rig rig, Options options) {
        List<Pair> pairs = new ArrayList<>();
        workers.forEach(each -> pairs.addAll(answers.pairs(each)));
        List<String> tables = new ArrayList<>(IdemboxOffice.TABLES);
        tables.addAll(List.of(HandWritten.TABLE, ByHand.TABLE));
        return rig.run(pairs, Limit.time(options.slice()), () -> {
            arena.empty(tables);
            arena.vacuum(List.of("account"));
        });
    }

    private static OutboxReport.Latencies latencies(Arena arena, List<Target> targets, Options options)
            throws Exception {
        List<OutboxReport.Beside> seats = targets.stream()
                .map(target -> {
                    Office.Opening peer = Relays.peer(arena, MANY_WORKERS, Relays.FLUSH);
                    return new OutboxReport.Beside(
                            new Latency.Seat(peer, target),
                            Relays.ours(arena, MANY_WORKERS).stream()
                                    .map(ours -> new Latency.Seat(ours, target))
                                    .toList());
                })
                .toList();
        Latency latency = new Latency(arena, STEADY, options.seed());
        Duration time = options.slice().multipliedBy(options.quick() ? 3 : 6);
        return new OutboxReport.Latencies(
                latency.perSecond(),
                MANY_WORKERS,
                seats,
                latency.of(
                        seats.stream().flatMap(each -> each.all().stream()).toList(), options.quick() ? 2 : 3, time));
    }

    /** Those who send from a direct consumer. */
    record Answers(ByHand byHand, Answering oneByOne, Answering later) implements AutoCloseable {

        static Answers in(Arena arena) {
            return new Answers(new ByHand(arena), Answering.oneByOne(arena), Answering.later(arena));
        }

        /** In the order of the table. B against itself comes first: it shows how much is noise. */
        List<Strategy> inOrder() {
            return List.of(byHand, oneByOne, later);
        }

        List<Pair> pairs(int workers) {
            return inOrder().stream()
                    .map(each -> new Pair(byHand, each, workers))
                    .toList();
        }

        @Override
        public void close() {
            oneByOne.close();
            later.close();
        }
    }
}
