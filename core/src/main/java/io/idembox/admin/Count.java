// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/**
 * How many there are, as far as somebody counted.
 *
 * @param exact whether there are not more
 */
public record Count(int number, boolean exact) {

    @Override
    public String toString() {
        return exact ? Integer.toString(number) : "at least " + number;
    }
}
