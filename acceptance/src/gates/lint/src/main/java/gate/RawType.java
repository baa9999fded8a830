// SPDX-License-Identifier: Apache-2.0
package gate;

import java.util.List;

/** A raw type is only a warning to javac. */
public final class RawType {
    private RawType() {}

    public static int size(List words) {
        return words.size();
    }
}
