// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Objects;

/** A secret that must not appear in a file, a log or a table. Immutable; {@link #toString} does not show it. */
public final class Secret {

    private final String value;

    private Secret(String word) {
        this.value = Objects.requireNonNull(word, "word");
    }

    public static Secret of(String word) {
        return new Secret(word);
    }

    /** Returns the secret. */
    public String reveal() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && secret.value.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return "(secret)";
    }
}
