// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * No message has two effects, none that is kept as failed or parked has one, and there is no effect that nobody sent a
 * message for. A message without an effect is the business of {@link NothingLost}.
 */
public record HandledOnce() implements Guarantee {

    @Override
    public void check(History history) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        history.effects().forEach(name -> counts.merge(name, 1, Integer::sum));
        ViolationText.none(
                counts.entrySet().stream()
                        .filter(each -> each.getValue() > 1)
                        .map(each -> each.getKey() + " (" + each.getValue() + " effects)")
                        .toList(),
                history,
                "messages handled more than once",
                "Look for a handler that works outside the inbox's transaction (a connection of its own, a call to"
                        + " another system), or for a mark that was not committed with the effect.");
        ViolationText.none(
                counts.keySet().stream().filter(history.kept()::contains).toList(),
                history,
                "messages have an effect although they failed",
                "Half of a failed handler's work stayed. Look for work outside the inbox's transaction.");
        ViolationText.none(
                counts.keySet().stream()
                        .filter(name -> !history.sent().contains(name))
                        .toList(),
                history,
                "effects belong to no message that was sent",
                "Look at how effects are named: they need the name of the message, which is its id unless told.");
    }
}
