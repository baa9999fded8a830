// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/**
 * A piece of a long list, by where the piece before ended: what arrives or leaves meanwhile shifts nothing.
 *
 * @param after the arrival number of the last message of the page before; 0 for the first page
 * @param size how many messages, at most {@link InboxAdmin#LIMIT}
 */
public record Page(long after, int size) {

    public Page {
        if (size < 1 || size > InboxAdmin.LIMIT) {
            throw new IllegalArgumentException(
                    "A page has 1 to " + InboxAdmin.LIMIT + " messages; " + size + " were asked for");
        }
    }

    public static Page first(int size) {
        return new Page(0, size);
    }
}
