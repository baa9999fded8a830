// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.admin.ReplayRange;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A campaign as stored.
 *
 * @param consumer the name of its consumer
 * @param steps how many steps it has
 * @param position how many of them are done
 * @param since the position when an operator last started it; earlier failures do not stop it again
 * @param dueIn how long until the next step is due; zero when it is due now
 * @param note why it was stopped or cancelled
 * @param replay the range and generation if it is a replay
 */
public record CampaignRow(
        Command command,
        String consumer,
        Operation operation,
        CampaignOptions options,
        Campaign.State state,
        Counts counts,
        long steps,
        long position,
        long since,
        Duration dueIn,
        Times times,
        @Nullable String note,
        Replay replay) {

    /**
     * The replay part of a campaign.
     *
     * @param range null for any other command
     * @param generation the number of the replay within its consumer; 0 until it has begun
     */
    public record Replay(@Nullable ReplayRange range, int generation) {

        public static final Replay NONE = new Replay(null, 0);

        /** Compares the ranges without the name of the consumer, which may change. */
        boolean isSameAs(Replay other) {
            return Objects.equals(withoutConsumer(), other.withoutConsumer());
        }

        private @Nullable ReplayRange withoutConsumer() {
            return range == null ? null : new ReplayRange("", range.from(), range.to(), range.type(), range.key());
        }
    }

    /** The message counts of a campaign. */
    public record Counts(int total, int given, int done) {}

    /** When it was planned, and when its state or position last changed. */
    public record Times(Instant planned, Instant changed) {}

    /** Whether both are the same decision: the same command, messages and options. */
    boolean isSameDecisionAs(CampaignRow other) {
        return command == other.command
                && options.equals(other.options)
                && Objects.equals(operation.filter(), other.operation.filter())
                && replay.isSameAs(other.replay);
    }

    String id() {
        return operation.id();
    }

    boolean isDue() {
        return dueIn.isZero();
    }

    boolean isFinished() {
        return position >= steps;
    }

    /** Whether only the canary step has been executed. */
    boolean isOnlyCanaryDone() {
        return options.canary() > 0 && position == 1;
    }

    StepSizes stepSizes() {
        return StepSizes.of(command, options);
    }

    /** Returns the operation of one step, with an id that no operator can use. */
    Operation operationOf(long step) {
        return new Operation(
                id() + OperationExecutor.STEP + (step + 1),
                operation.by(),
                operation.role(),
                operation.reason(),
                operation.filter());
    }

    /** Returns the operation ids of a range of steps. */
    List<String> operationIds(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(step -> operationOf(step).id())
                .toList();
    }

    Campaign toCampaign(StepOutcomeCounts judged) {
        return new Campaign(
                command,
                consumer,
                operation,
                options,
                state,
                new Campaign.Progress(
                        counts.total(),
                        counts.given(),
                        counts.done(),
                        counts.given() - counts.done(),
                        judged.failed(),
                        judged.open()),
                times.planned(),
                times.changed(),
                note);
    }
}
