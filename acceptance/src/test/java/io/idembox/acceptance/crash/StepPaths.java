// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.policy.Mode;
import java.util.List;

/** Paths of handlers with steps. */
final class StepPaths {

    private StepPaths() {}

    static List<Path> all() {
        return List.of(failingBetween(), slow());
    }

    /** Two steps, between which the handler fails once. */
    private static Path failingBetween() {
        return stepped("steps", 2).work(story -> context -> {
            context.step("one", step -> story.stepEffect(context, step));
            if (context.attempt() == 1 && Works.isFor(context, "-1")) {
                throw new IllegalStateException("not yet");
            }
            context.step("two", step -> story.stepEffect(context, step));
            story.effect(context);
        });
    }

    /** A node stands still inside a step for longer than its lease, while another one takes over and finishes. */
    private static Path slow() {
        return stepped("steps-slow", 1).work(story -> context -> {
            context.step("one", step -> story.stepEffect(context, step));
            context.step("two", step -> {
                story.stepEffect(context, step);
                story.once("overtaken", story::overtake);
            });
            story.effect(context);
        });
    }

    private static Path stepped(String name, int count) {
        return Path.stored(name, Path.messages(count))
                .policy(Path.DIRECT.mode(Mode.STORED))
                .parts("at once", "later", "one", "two");
    }
}
