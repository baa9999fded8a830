// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import java.util.Objects;

/**
 * An error in a policy file.
 *
 * @param line the line, counted from 1; 0 for the whole file
 * @param text what is wrong and what to do, in one line
 */
public record Problem(int line, String text) {

    public Problem {
        Objects.requireNonNull(text, "text");
        text = text.replaceAll("\\p{Cntrl}+", " ").strip();
    }

    @Override
    public String toString() {
        return line == 0 ? text : "line " + line + ": " + text;
    }
}
