// SPDX-License-Identifier: Apache-2.0
package gate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Breaks no gate. TODO(#12) names its issue. */
public final class Clean {
    private Clean() {}

    public static int sum(int a, int b, int c, int d, int e, int f, int g) {
        return a + b + c + d + e + f + g;
    }

    public static int length(List<String> words, @Nullable String extra) {
        return words.size() + (extra == null ? 0 : extra.length());
    }
}
