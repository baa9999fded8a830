// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

/**
 * Every message that the broker was told to forget has its effect, or is kept by the inbox. What the broker was not told
 * to forget is not lost: it comes again.
 *
 * <p>Look before late duplicates are delivered: a late duplicate of a lost message does its work then, and nobody notices
 * the loss. A history that was taken afterwards is refused.
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
                "The broker was told to forget them, but there is no effect and the inbox does not keep them. Look at"
                        + " whoever acknowledged before the commit, or committed the mark without the effect.");
    }
}
