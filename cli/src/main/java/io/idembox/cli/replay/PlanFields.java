// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.replay;

import io.idembox.admin.CampaignOptions;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.cli.output.Fields;
import io.idembox.policy.Replay;
import java.util.ArrayList;
import java.util.List;

/** Converts a replay plan to output fields and to text. Pure. */
final class PlanFields {

    private PlanFields() {}

    static Fields of(ReplayPlan plan, CampaignOptions options) {
        return Fields.of("id", plan.refusal() == null ? plan.id() : null)
                .and("consumer", plan.range().consumer())
                .and("from", plan.range().from())
                .and("to", plan.range().to())
                .and("type", plan.range().type())
                .and("key", plan.range().key())
                .and("policy", plan.policy())
                .and("wouldRun", plan.wouldRun())
                .and("unfinished", plan.unfinished())
                .and("withoutPayload", plan.withoutBody())
                .and("skipped", plan.skipped())
                .and("forgottenBefore", plan.purgedBefore())
                .and("effects", plan.effects())
                .and("effectsLeftOut", plan.suppressesEffects())
                .and("forbidden", plan.refusal())
                .and("canary", options.canary())
                .and("perSecond", options.perSecond())
                .and("stopAbove", options.stopAbove());
    }

    static List<String> text(ReplayPlan plan) {
        List<String> lines = new ArrayList<>();
        lines.add("A " + plan.range() + " would handle " + messages(plan.wouldRun()) + " again.");
        if (plan.unfinished() > 0) {
            lines.add(messages(plan.unfinished())
                    + " more match but are unfinished: they stay as they are, and none of them is handled twice.");
        }
        if (plan.withoutBody() > 0) {
            lines.add(messages(plan.withoutBody())
                    + " more match but were stored without their payload and cannot be handled again (recording: full"
                    + " stores it).");
        }
        if (plan.skipped() > 0) {
            lines.add(messages(plan.skipped())
                    + " more match but were skipped the first time (old sequence number): they are skipped again.");
        }
        lines.add(
                plan.purgedBefore() == null
                        ? "Retention purges nothing."
                        : "Messages received before " + plan.purgedBefore()
                                + " are purged (retention) and not included.");
        lines.add(effects(plan));
        lines.add(
                plan.refusal() == null
                        ? "Nothing was changed. Plan id: " + plan.id() + "."
                        : "Not allowed. " + plan.refusal());
        return lines;
    }

    /** The command to run next. The range to delete must be as narrow as the range to rebuild. */
    static String nextCommand(ReplayPlan plan) {
        if (plan.wouldRun() == 0) {
            return "There is nothing to replay.";
        }
        ReplayRange range = plan.range();
        boolean isNarrow = !range.equals(ReplayRange.of(range.consumer()));
        String first = isNarrow ? "delete from … where …" : "truncate table …";
        return "Start: idembox replay run " + plan.id() + " --first \"" + first + "\" --policies FILE --reason \"…\"."
                + (isNarrow ? " Delete only what these messages wrote: other messages are not handled again." : "");
    }

    private static String effects(ReplayPlan plan) {
        int sent = plan.effects();
        String first = sent == 0
                ? "No messages or intents were sent for them the first time."
                : (sent == 1 ? "1 message or intent was" : sent + " messages and intents were")
                        + " sent for them the first time.";
        String again = plan.suppressesEffects()
                ? " External effects are suppressed (replay: no-effects)."
                : " External effects are written again (replay: allowed); an effect with an unchanged id is not sent twice.";
        return plan.policy() == Replay.FORBIDDEN ? first : first + again;
    }

    static String messages(int number) {
        return number == 1 ? "1 message" : number + " messages";
    }
}
