// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.util.List;

/** What is to be said about a message, sentence by sentence. Never its payload. */
public record Explanation(List<String> sentences) {

    public Explanation {
        sentences = List.copyOf(sentences);
    }

    @Override
    public String toString() {
        return String.join(" ", sentences);
    }
}
