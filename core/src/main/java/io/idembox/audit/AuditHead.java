// SPDX-License-Identifier: Apache-2.0
package io.idembox.audit;

import java.util.Objects;

/**
 * The end of the audit trail at one time, to be kept outside the database. A trail that was truncated or rewritten no
 * longer matches it.
 *
 * @param number of the last operation; 0 when there was none
 * @param seal of that operation, in hexadecimal digits
 */
public record AuditHead(long number, String seal) {

    public AuditHead {
        Objects.requireNonNull(seal, "seal");
        if (number < 0 || !seal.matches("[0-9a-f]*")) {
            throw new IllegalArgumentException("An audit head is a number and hexadecimal digits; was " + number
                    + " and '" + seal.replaceAll("[^0-9A-Za-z]", "?") + "'");
        }
    }

    /** Parses the format of {@link #toString}: number, space, seal. */
    public static AuditHead parse(String line) {
        String text = line.strip();
        int space = text.indexOf(' ');
        try {
            return space < 0
                    ? new AuditHead(Long.parseLong(text), "")
                    : new AuditHead(
                            Long.parseLong(text.substring(0, space)),
                            text.substring(space).strip());
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException(
                    "An audit head is a number and hexadecimal digits; was '" + line.replaceAll("[^0-9A-Za-z ]", "?")
                            + "'",
                    wrong);
        }
    }

    @Override
    public String toString() {
        return number + " " + seal;
    }
}
