// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The effects of a key are in the order in which its messages were sent. Messages without an effect are ignored, and of
 * several effects of a message the first one counts: the other guarantees check for losses and duplicates.
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
                "Look for code that delivers messages of one key on several threads, or continues after one that failed.");
    }
}
