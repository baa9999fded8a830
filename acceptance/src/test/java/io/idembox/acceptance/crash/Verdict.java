// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.policy.IdentityPolicy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Looks at the database, not at what the engine says: is every acknowledged message done once, or kept? */
final class Verdict {

    private Verdict() {}

    static Optional<String> on(World world, Path path, List<Message> sent) {
        Set<String> seen = new HashSet<>();
        Map<String, Set<String>> payloads = new HashMap<>();
        for (Message message : sent) {
            String id = idOf(path, message);
            payloads.computeIfAbsent(id, each -> new HashSet<>())
                    .add(message.payload().text());
            if (!seen.add(id)) {
                continue;
            }
            End end = path.endOf(id);
            Optional<String> violation = end.isEffective() ? handled(world, path, id) : without(world, path, id, end);
            if (violation.isPresent()) {
                return violation;
            }
        }
        if (path.costsNothing()) {
            List<String> paid = world.list("select error_class from idembox_attempt");
            if (!paid.isEmpty()) {
                return Optional.of("paid: nothing went wrong, but attempts were counted: " + paid);
            }
        }
        if (path.keepsOrder()) {
            Optional<String> violation = order(world, path, sent);
            if (violation.isPresent()) {
                return violation;
            }
        }
        for (Map.Entry<String, Set<String>> each : payloads.entrySet()) {
            int conflicts = each.getValue().size() - 1;
            if (conflicts > 0 && keptConflicts(world, each.getKey()) != conflicts) {
                return Optional.of("lost: a conflicting payload of " + each.getKey() + " was not kept");
            }
        }
        return Optional.empty();
    }

    /** While an identity strategy is being replaced, a message goes on under its old id. */
    private static String idOf(Path path, Message message) {
        IdentityPolicy identity = path.policy().identity();
        return identity.previousIfAny()
                .flatMap(older -> older.of(message))
                .or(() -> identity.strategy().of(message))
                .orElseThrow()
                .id();
    }

    /** The effects of one key are in order. */
    private static Optional<String> order(World world, Path path, List<Message> sent) {
        Map<String, Set<String>> keys = new LinkedHashMap<>();
        for (Message message : path.inOrder(sent)) {
            String id = message.id().orElseThrow();
            if (path.endOf(id).isEffective()) {
                keys.computeIfAbsent(message.key().orElse(""), key -> new LinkedHashSet<>())
                        .add(id);
            }
        }
        List<String> effects = world.list("select id from effect where part = 'at once' order by seq");
        for (Set<String> ids : keys.values()) {
            List<String> found = effects.stream().filter(ids::contains).toList();
            if (!found.equals(List.copyOf(ids))) {
                return Optional.of("out of order: " + found + " instead of " + ids);
            }
        }
        return Optional.empty();
    }

    private static Optional<String> handled(World world, Path path, String id) {
        List<String> parts = world.list("select part from effect where id = ? order by part", id);
        if (parts.isEmpty()) {
            return Optional.of("lost: " + id + " has no effect, its state is " + states(world, id));
        }
        if (!parts.containsAll(path.parts())) {
            return Optional.of("torn: " + id + " has half an effect: " + parts);
        }
        if (parts.size() > path.parts().size()) {
            return Optional.of("doubled: " + id + " has " + parts);
        }
        List<String> states = states(world, id);
        states.removeIf("PARKED CONFLICT"::equals);
        return states.equals(List.of("COMPLETED"))
                ? Optional.empty()
                : Optional.of("inconsistent: " + id + " has its effect, but its state is " + states);
    }

    /** A message that ends without an effect. */
    private static Optional<String> without(World world, Path path, String id, End end) {
        if (!world.list("select part from effect where id = ?", id).isEmpty()) {
            return Optional.of("doubled: " + id + " ends as " + end + " and has an effect");
        }
        if (!states(world, id).equals(List.of(end.status()))) {
            return Optional.of("lost: " + id + " was acknowledged, but its state is " + states(world, id)
                    + " instead of " + end.status());
        }
        if (end.isKept()
                && world.list("select status from idembox_inbox where message_id = ? and payload_bytes > 0", id)
                        .isEmpty()) {
            return Optional.of("lost: " + id + " is kept without its body");
        }
        return overpaid(world, path, id);
    }

    private static Optional<String> overpaid(World world, Path path, String id) {
        return path.failures().flatMap(allowed -> {
            int failures = world.list(
                            "select a.number from idembox_attempt a join idembox_inbox i on i.arrival = a.arrival"
                                    + " where i.message_id = ? and a.error_class <> 'LeaseExpired'",
                            id)
                    .size();
            return failures == allowed
                    ? Optional.empty()
                    : Optional.of("redriven too often: " + id + " failed " + failures + " times instead of " + allowed);
        });
    }

    private static List<String> states(World world, String id) {
        return world.list(
                "select status || case when reason is null then '' else ' ' || reason end"
                        + " from idembox_inbox where message_id = ?",
                id);
    }

    private static int keptConflicts(World world, String id) {
        return world.list(
                        "select variant from idembox_inbox where message_id = ? and reason = 'CONFLICT' and payload_bytes > 0",
                        id)
                .size();
    }
}
