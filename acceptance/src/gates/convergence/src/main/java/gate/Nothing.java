// SPDX-License-Identifier: Apache-2.0
package gate;

/** The fault is in the pom. */
public final class Nothing {
    private Nothing() {}
}
