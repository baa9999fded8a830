// SPDX-License-Identifier: Apache-2.0
package gate;

import java.util.List;

/** Crooked, with an import nobody uses. */
public final class Crooked {
    private Crooked() {}
  public static int one() { return 1; }
}
