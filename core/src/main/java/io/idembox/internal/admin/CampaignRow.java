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
 * A campaign as it is kept.
 *
 * @param consumer the name of its consumer
 * @param steps how many steps it has
 * @param position how many of them are done
 * @param since how many of them were done when somebody let it run: what went wrong before is known
 * @param dueIn how long it is until the next step may be done; zero when it may be now
 * @param note why it stands still
 * @param replay what it is about, if it is one
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
     * What a replay is about.
     *
     * @param range null for any other command
     * @param generation which replay of its consumer it is; 0 until it has begun
     */
    public record Replay(@Nullable ReplayRange range, int generation) {

        public static final Replay NONE = new Replay(null, 0);

        /** Whatever name its consumer is called by. */
        boolean isSameAs(Replay other) {
            return Objects.equals(ofAnybody(), other.ofAnybody());
        }

        private @Nullable ReplayRange ofAnybody() {
            return range == null ? null : new ReplayRange("", range.from(), range.to(), range.type(), range.key());
        }
    }

    /** How many messages. */
    public record Counts(int total, int given, int done) {}

    /** When it was planned, and when it last moved or stood still. */
    public record Times(Instant planned, Instant changed) {}

    /** Whether the same was decided for their consumer: what is done to which messages, at which pace. */
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

    /** Whether the canary is out and nothing else. */
    boolean isCanaryOut() {
        return options.canary() > 0 && position == 1;
    }

    StepSizes strides() {
        return StepSizes.of(command, options);
    }

    /** The operation of one of its steps: a name that nobody else gives. */
    Operation operationOf(long step) {
        return new Operation(
                id() + OperationExecutor.STEP + (step + 1),
                operation.by(),
                operation.role(),
                operation.reason(),
                operation.filter());
    }

    /** The operations of some of its steps. */
    List<String> operationIds(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(step -> operationOf(step).id())
                .toList();
    }

    Campaign told(StepOutcomeCounts judged) {
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
