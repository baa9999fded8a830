// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/**
 * Missing messages of a key, while later ones wait. Its text does not contain the key, which may be personal data.
 *
 * @param from the first missing sequence number
 * @param to the last missing sequence number
 */
public record Gap(String consumer, String key, long from, long to) {

    @Override
    public String toString() {
        return "a key of consumer " + consumer + " is missing " + from + (from == to ? "" : " to " + to);
    }
}
