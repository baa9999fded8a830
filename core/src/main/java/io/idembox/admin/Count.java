// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/**
 * A count with an upper limit.
 *
 * @param exact whether the number is exact; false when counting stopped at the limit
 */
public record Count(int number, boolean exact) {

    @Override
    public String toString() {
        return exact ? Integer.toString(number) : "at least " + number;
    }
}
