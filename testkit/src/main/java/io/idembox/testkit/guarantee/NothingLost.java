// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

/**
 * Every acknowledged message has its effect or is kept by the inbox. An unacknowledged message is not lost: the broker
 * redelivers it.
 *
 * <p>Check it before late duplicates are delivered: a late duplicate of a lost message is handled as new, which hides
 * the loss. A history taken after late duplicates is rejected.
 */
public record NothingLost() implements Guarantee {

    @Override
    public void check(History history) {
        if (history.isAfterLateDuplicates()) {
            throw new IllegalStateException("This history was taken after late duplicates were delivered. A late"
                    + " duplicate of a lost message hides the loss: check NothingLost before.");
        }
        var effects = new java.util.HashSet<>(history.effects());
        ViolationText.none(
                history.acknowledged().stream()
                        .filter(name ->
                                !effects.contains(name) && !history.kept().contains(name))
                        .toList(),
                history,
                "messages lost",
                "They were acknowledged, but have no effect and are not kept by the inbox. Look for code that"
                        + " acknowledges before the commit, or commits the ledger row without the effect.");
    }
}
