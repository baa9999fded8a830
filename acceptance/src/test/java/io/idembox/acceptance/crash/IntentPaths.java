// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import java.util.List;

/** Paths of intents: written with the effect, then tried at a provider who may or may not help to find out. */
final class IntentPaths {

    private IntentPaths() {}

    static List<Path> all() {
        return List.of(intends(), inDoubt(), reconciled(), keyed(), overtaken());
    }

    /** Handled, and tried at once. */
    private static Path intends() {
        return intending("intends", Mail.intending(Mail.Provider.KEYS))
                .withMainFaults()
                .before(story -> {})
                .act((story, node) -> {
                    node.deliver(story.broker(), story.broker().unacknowledged(), story.work());
                    node.mail().tryAll();
                });
    }

    /** Nobody can find out: what may have been done is not done again, and a human sees it. */
    private static Path inDoubt() {
        return intending("intent-in-doubt", Mail.intending(Mail.Provider.NOTHING));
    }

    /** The answer is lost; the provider can be asked. */
    private static Path reconciled() {
        return intending(
                        "intent-reconciled",
                        Mail.intending(Mail.Provider.QUESTIONS).reaction(IntentPaths::losesTheFirstAnswer))
                .withoutPauses();
    }

    /** The answer is lost; the provider knows keys. */
    private static Path keyed() {
        return intending("intent-keyed", Mail.intending(Mail.Provider.KEYS).reaction(IntentPaths::losesTheFirstAnswer))
                .withMainFaults();
    }

    /** Whoever tries stands still for longer than its lease; another one takes over, and the first has no success. */
    private static Path overtaken() {
        return intending(
                        "intent-overtaken",
                        Mail.intending(Mail.Provider.QUESTIONS).reaction((story, cause) -> {
                            boolean[] first = new boolean[1];
                            story.once("met", () -> first[0] = true);
                            if (!first[0]) {
                                return Mail.Reaction.TAKES;
                            }
                            story.overtake();
                            return Mail.Reaction.FAILS;
                        }))
                .withoutPauses()
                .withMainFaults();
    }

    private static Mail.Reaction losesTheFirstAnswer(Story story, String cause) {
        Mail.Reaction[] reaction = {Mail.Reaction.TAKES};
        story.once("met", () -> reaction[0] = Mail.Reaction.TAKES_AND_DOES_NOT_SAY);
        return reaction[0];
    }

    private static Path intending(String name, Mail mail) {
        return Path.direct(name, Path.messages(1))
                .mail(mail)
                .before(story ->
                        story.soundNode().deliver(story.broker(), story.broker().unacknowledged(), story.work()))
                .act((story, node) -> node.mail().tryAll())
                .work(story -> context -> {
                    story.effect(context);
                    context.intend(Mail.CHARGE, "", context.id().id());
                });
    }
}
