// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * No message has two effects, no message kept as failed or parked has an effect, and no effect lacks a sent message.
 * {@link NothingLost} checks for messages without an effect.
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
                        + " another system), or for a ledger row that was not committed with the effect.");
        ViolationText.none(
                counts.keySet().stream().filter(history.kept()::contains).toList(),
                history,
                "messages have an effect although they failed",
                "Part of a failed handler's work was committed. Look for work outside the inbox's transaction.");
        ViolationText.none(
                counts.keySet().stream()
                        .filter(name -> !history.sent().contains(name))
                        .toList(),
                history,
                "effects belong to no message that was sent",
                "Check the names of the effects: an effect has the name of its message, by default the message id.");
    }
}
