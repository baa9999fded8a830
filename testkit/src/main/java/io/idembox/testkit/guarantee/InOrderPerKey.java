// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The effects of a key are in the order its messages were sent. Messages without an effect are passed over, and of a
 * message with several effects the first one counts: losses and duplicates are the business of the other guarantees.
 */
public record InOrderPerKey() implements Guarantee {

    @Override
    public void check(History history) {
        Map<String, Integer> sequenceNumbers = new HashMap<>();
        history.sent().forEach(name -> sequenceNumbers.put(name, sequenceNumbers.size()));
        Map<String, String> latest = new HashMap<>();
        List<String> overtaken = new ArrayList<>();
        for (String name : new LinkedHashSet<>(history.effects())) {
            String key = history.keyOf(name).orElse(null);
            if (key == null) {
                continue;
            }
            String before = latest.get(key);
            if (before != null && sequenceNumbers.getOrDefault(before, 0) > sequenceNumbers.getOrDefault(name, 0)) {
                overtaken.add(name + " (after " + before + ")");
            } else {
                latest.put(key, name);
            }
        }
        ViolationText.none(
                overtaken,
                history,
                "messages were overtaken by a later one of their key",
                "Look at who delivers messages of one key on several threads, or goes on behind one that failed.");
    }
}
