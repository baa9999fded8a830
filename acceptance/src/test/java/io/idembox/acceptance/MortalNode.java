// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Message;
import io.idembox.spi.Delivery;
import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.FaultyDataSource;
import io.idembox.testkit.fault.ProcessGone;
import io.idembox.testkit.fault.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import javax.sql.DataSource;

/** A process that ends in the middle of its work, with all its sessions. */
final class MortalNode {

    /** Rehearsals leave effects too; their ids begin with this. */
    static final String REHEARSAL = "rehearsal";

    /** Between what a process ends. */
    enum Moment {
        /** The handler has done everything, and nothing is committed. */
        BEFORE_THE_COMMIT {
            @Override
            List<FaultPlan> plans(List<Step> steps) {
                return steps.subList(lastOfHandler(steps) + 1, commit(steps) + 1).stream()
                        .map(step -> FaultPlan.before(step.number(), Fault.GONE))
                        .toList();
            }
        },
        /** It is committed, and the broker does not know. */
        BEFORE_THE_ACKNOWLEDGE {
            @Override
            List<FaultPlan> plans(List<Step> steps) {
                Step commit = steps.get(commit(steps));
                List<FaultPlan> plans = new ArrayList<>(List.of(FaultPlan.after(commit.number(), Fault.GONE)));
                steps.stream()
                        .filter(step -> step.kind() == Step.Kind.ACKNOWLEDGE)
                        .forEach(step -> plans.add(FaultPlan.before(step.number(), Fault.GONE)));
                return plans;
            }
        };

        abstract List<FaultPlan> plans(List<Step> steps);

        private static int lastOfHandler(List<Step> steps) {
            int last = -1;
            for (int i = 0; i < steps.size(); i++) {
                last = steps.get(i).byHandler() ? i : last;
            }
            return last;
        }

        /** The commit of what the handler did, or of what was stored. */
        private static int commit(List<Step> steps) {
            for (int i = lastOfHandler(steps) + 1; i < steps.size(); i++) {
                if (steps.get(i).commits()) {
                    return i;
                }
            }
            throw new AssertionError("No commit among " + steps);
        }
    }

    final Bench bench;
    private final FaultyDataSource process;
    private final Set<String> acknowledged;

    private MortalNode(Bench bench, FaultyDataSource process, Set<String> acknowledged) {
        this.bench = bench;
        this.process = process;
        this.acknowledged = acknowledged;
    }

    /** Delivers a message as a broker does; telling it is a call at which the process can end too. */
    Delivery delivery(Message message) {
        return process.delivery(new Delivery() {
            @Override
            public Message message() {
                return message;
            }

            @Override
            public void acknowledge() {
                acknowledged.add(message.id().orElseThrow());
            }

            @Override
            public void release(Duration notBefore) {
                // It stays where it is.
            }
        });
    }

    /** What is about to break. */
    record Story(
            TestDatabase database,
            Function<DataSource, Bench> benches,
            Set<String> acknowledged,
            BiConsumer<MortalNode, Message> scenario) {

        /**
         * Plays the scenario in one process after another, each of which ends at another call of the given moment.
         *
         * @return the messages they died of, one for each
         */
        List<Message> endAtEvery(Moment moment) {
            List<Message> met = new ArrayList<>();
            int sequenceNumbers = 1;
            for (int sequenceNumber = 0; sequenceNumber < sequenceNumbers; sequenceNumber++) {
                FaultyDataSource process = FaultyDataSource.around(database.sessions());
                MortalNode node = new MortalNode(benches.apply(process), process, acknowledged);
                String name = "-" + moment + "-" + sequenceNumber;
                // The first time names are looked up that are known afterwards.
                scenario.accept(node, DatabaseTest.message(REHEARSAL + name + "-1"));
                List<FaultPlan> plans = moment.plans(
                        process.record(() -> scenario.accept(node, DatabaseTest.message(REHEARSAL + name + "-2"))));
                sequenceNumbers = plans.size();
                process.inject(plans.get(sequenceNumber));
                Message message = DatabaseTest.message("m" + name);
                assertThatThrownBy(() -> scenario.accept(node, message)).isInstanceOf(ProcessGone.class);
                assertThat(process.isCrashed()).isTrue();
                met.add(message);
            }
            return met;
        }
    }
}
