// SPDX-License-Identifier: Apache-2.0
package gate;

import org.jspecify.annotations.Nullable;

/** Takes what may be null, and does not look. */
public final class Careless {
    private Careless() {}

    public static int length(@Nullable String word) {
        return word.length();
    }
}
