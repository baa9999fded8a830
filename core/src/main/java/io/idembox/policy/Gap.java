// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/**
 * Messages of a key that have not come, while later ones wait. Its text does not name the key, which may be a person's.
 *
 * @param from the first one that is missing
 * @param to the last one that is missing
 */
public record Gap(String consumer, String key, long from, long to) {

    @Override
    public String toString() {
        return "a key of consumer " + consumer + (from == to ? " misses " + from : " misses " + from + " to " + to);
    }
}
