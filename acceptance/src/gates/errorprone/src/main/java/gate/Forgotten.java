// SPDX-License-Identifier: Apache-2.0
package gate;

/** Javac has nothing against an exception that is made and not thrown. */
public final class Forgotten {
    private Forgotten() {}

    public static void check(int count) {
        if (count < 0) {
            new IllegalArgumentException("negative");
        }
    }
}
