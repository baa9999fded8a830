// SPDX-License-Identifier: Apache-2.0
package gate;

import java.util.*;

/** A star import, eight parameters. TODO name an issue. */
public final class Sloppy {
    private Sloppy() {}

    public static List<Integer> all(int a, int b, int c, int d, int e, int f, int g, int h) {
        return List.of(a, b, c, d, e, f, g, h);
    }
}
