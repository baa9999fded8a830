// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/**
 * What becomes of a dead letter that the inbox does not know, and that was sent longer ago than the consumer's {@code
 * retention.marks}. The consumer may have completed it and forgotten that: then a redrive repeats its effect.
 */
public enum OldLetters {
    /** It is not taken: {@link Adoption.Outcome#TOO_OLD}. */
    REFUSE,
    /** It is parked like any other, and its line says how old it is. */
    PARK
}
