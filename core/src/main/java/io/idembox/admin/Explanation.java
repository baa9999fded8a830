// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.util.List;

/** The explanation of a message, one sentence per element. Never contains the payload. */
public record Explanation(List<String> sentences) {

    public Explanation {
        sentences = List.copyOf(sentences);
    }

    @Override
    public String toString() {
        return String.join(" ", sentences);
    }
}
