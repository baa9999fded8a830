// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.replay;

import io.idembox.admin.CampaignOptions;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.cli.output.Fields;
import io.idembox.policy.Replay;
import java.util.ArrayList;
import java.util.List;

/** What a replay would do, as it is printed and in words. Pure. */
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

    static List<String> words(ReplayPlan plan) {
        List<String> lines = new ArrayList<>();
        lines.add("A " + plan.range() + " would handle " + messages(plan.wouldRun()) + " again.");
        if (plan.unfinished() > 0) {
            lines.add(
                    messages(plan.unfinished())
                            + " more match and are not settled: they are left as they stand, and none of them is handled twice.");
        }
        if (plan.withoutBody() > 0) {
            lines.add(messages(plan.withoutBody())
                    + " more match and were kept without their payload: nobody can handle them again (recording: full"
                    + " keeps it).");
        }
        if (plan.skipped() > 0) {
            lines.add(
                    messages(plan.skipped())
                            + " more match and were not run the first time, because their key was past their place: they are not run now, either.");
        }
        lines.add(
                plan.purgedBefore() == null
                        ? "Nothing is ever forgotten."
                        : "What was received before " + plan.purgedBefore()
                                + " is forgotten (retention), and is not among them.");
        lines.add(effects(plan));
        lines.add(
                plan.refusal() == null
                        ? "Nothing has been changed. The plan is " + plan.id() + "."
                        : "It may not be done. " + plan.refusal());
        return lines;
    }

    /** What to type next. What is emptied has to be as narrow as what is built anew. */
    static String next(ReplayPlan plan) {
        if (plan.wouldRun() == 0) {
            return "There is nothing to replay: leave it at that.";
        }
        ReplayRange range = plan.range();
        boolean isNarrow = !range.equals(ReplayRange.of(range.consumer()));
        String first = isNarrow ? "delete from … where …" : "truncate table …";
        return "Begin: idembox replay run " + plan.id() + " --first \"" + first + "\" --policies FILE --reason \"…\"."
                + (isNarrow ? " Empty no more than these messages wrote: others are not handled again." : "");
    }

    private static String effects(ReplayPlan plan) {
        int sent = plan.effects();
        String first = sent == 0
                ? "Nothing was sent or intended for them the first time."
                : (sent == 1 ? "1 message or intent was" : sent + " messages and intents were")
                        + " sent for them the first time.";
        String again = plan.suppressesEffects()
                ? " Effects outside the database are left out (replay: no-effects)."
                : " Effects outside the database are written again (replay: allowed); what has the id it had is not sent twice.";
        return plan.policy() == Replay.FORBIDDEN ? first : first + again;
    }

    static String messages(int number) {
        return number == 1 ? "1 message" : number + " messages";
    }
}
