// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.admin.CommandResult;
import io.idembox.audit.AuditEntry;
import io.idembox.audit.AuditReport;
import io.idembox.audit.AuditTrail;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Looks at what is written down about what people did: in the trail, and in their campaigns. */
final class Books {

    private static final int ALL = 1_000;

    private Books() {}

    /** Whether the trail is whole. */
    static Optional<String> whole(Story story) {
        AuditReport report = story.world().bystander().audit().verify(List.of(), List.of());
        return report.isIntact() ? Optional.empty() : Optional.of("untrue: the trail says " + report.findings());
    }

    /** Whether the trail is whole and has these operations, each once, in that order. Steps are {@code name#number}. */
    static Optional<String> trail(Story story, String... operations) {
        List<String> expected = Arrays.stream(operations)
                .map(each -> each.split("#", 2))
                .map(parts -> story.operation(parts[0]).id() + (parts.length > 1 ? "#" + parts[1] : ""))
                .toList();
        List<String> found = story.world().list("select operation_id from idembox_operation order by number");
        return found.equals(expected)
                ? whole(story)
                : Optional.of("untrue: the trail has " + found + " instead of " + expected);
    }

    /** Where a campaign stands; nowhere when nobody has planned it. */
    static String stateOf(Story story, String campaign) {
        List<String> state = story.world()
                .list(
                        "select state from idembox_campaign where campaign_id = ?",
                        story.operation(campaign).id());
        return state.isEmpty() ? "" : state.get(0);
    }

    /** Whether a plan is there with all its messages, or nothing of it is. */
    static Optional<String> planned(Story story, String campaign) {
        String id = story.operation(campaign).id();
        int messages = story.world()
                .list("select arrivals from idembox_campaign_step where campaign_id = ?", id)
                .size();
        boolean whole = stateOf(story, campaign).isEmpty()
                ? messages == 0
                : messages == story.broker().sent().size();
        return whole
                ? Optional.empty()
                : Optional.of("torn: the plan is " + stateOf(story, campaign) + ", with " + messages + " steps");
    }

    /** Whether a campaign stands where its steps, and whoever started it, have left it. */
    static Optional<String> campaign(Story story, String campaign) {
        String id = story.operation(campaign).id();
        World world = story.world();
        String state = stateOf(story, campaign);
        boolean begun = !state.isEmpty() && !state.equals("PLANNED");
        if (begun != story.isDone("start")) {
            return Optional.of("torn: the campaign is " + state + ", and was started: " + story.isDone("start"));
        }
        List<String> kept = world.list(
                "select position || ' ' || given || ' ' || done from idembox_campaign where campaign_id = ?", id);
        List<String> did = world.list(
                "select count(*) || ' ' || coalesce(sum(asked), 0) || ' ' || coalesce(sum(done), 0)"
                        + " from idembox_operation where operation_id like ?",
                id + "#%");
        if (!(kept.isEmpty() ? List.of("0 0 0") : kept).equals(did)) {
            return Optional.of("torn: the campaign says steps, given and done are " + kept + ", its steps say " + did);
        }
        return commandedTwice(world.bystander().audit(), id).or(() -> whole(story));
    }

    private static Optional<String> commandedTwice(AuditTrail audit, String id) {
        Set<Long> commanded = new HashSet<>();
        for (AuditEntry entry : audit.after(0, ALL)) {
            if (entry.operation().id().startsWith(id + "#")) {
                for (AuditEntry.Touched each : entry.touched()) {
                    if (each.result() == CommandResult.DONE && !commanded.add(each.arrival())) {
                        return Optional.of("doubled: " + each.arrival() + " was given to two steps of the campaign");
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Whether a campaign was given all its messages, and each of them was changed. */
    static Optional<String> complete(Story story, String campaign) {
        List<String> counts = story.world()
                .list(
                        "select total || ' ' || given || ' ' || done from idembox_campaign where campaign_id = ?",
                        story.operation(campaign).id());
        boolean all = counts.size() == 1
                && new HashSet<>(List.of(counts.get(0).split(" ", -1))).size() == 1
                && !counts.get(0).startsWith("0");
        return all ? Optional.empty() : Optional.of("untrue: total, given and done are " + counts);
    }
}
