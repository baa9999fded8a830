// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.benchmarks.rig.WrongEffectsException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was sent, in the order of the commits, to be compared with what arrived. While nothing fails, everything arrives once.
 *
 * @param ordered whether messages of a key have to arrive in the order in which they were sent
 */
record Manifest(List<Arrival> sent, boolean ordered) {

    Manifest {
        sent = List.copyOf(sent);
    }

    void orThrow(String slice, List<Arrival> arrived) {
        fault(arrived).ifPresent(fault -> {
            throw new WrongEffectsException(
                    "%s: %d messages were sent, %d arrived, and %s. The run ends here and nothing is written."
                            .formatted(slice, sent.size(), arrived.size(), fault));
        });
    }

    /** The first thing that is wrong. */
    Optional<String> fault(List<Arrival> arrived) {
        Map<String, Arrival> missing = new HashMap<>();
        sent.forEach(each -> missing.put(each.id(), each));
        for (Arrival each : arrived) {
            Arrival expected = missing.remove(each.id());
            if (expected == null) {
                return Optional.of(each.id() + " arrived twice or was never sent");
            }
            if (!expected.equals(each)) {
                return Optional.of(each.id() + " arrived with another key or payload");
            }
        }
        if (!missing.isEmpty()) {
            return Optional.of(missing.size() + " did not arrive");
        }
        return ordered && !byKey(sent).equals(byKey(arrived))
                ? Optional.of("those of one key are not in their order")
                : Optional.empty();
    }

    /** Those without a key have no order. */
    private static Map<String, List<String>> byKey(List<Arrival> messages) {
        Map<String, List<String>> keys = new HashMap<>();
        for (Arrival each : messages) {
            if (!each.key().isEmpty()) {
                keys.computeIfAbsent(each.key(), key -> new ArrayList<>()).add(each.id());
            }
        }
        return keys;
    }
}
