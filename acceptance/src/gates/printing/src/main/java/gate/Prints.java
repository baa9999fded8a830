// SPDX-License-Identifier: Apache-2.0
package gate;

/** Prints. */
public final class Prints {
    private Prints() {}

    public static void print() {
        System.out.println("printed");
    }
}
