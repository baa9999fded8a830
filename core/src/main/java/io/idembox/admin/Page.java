// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/**
 * A page of a long list, addressed by the last message of the previous page: messages that arrive or leave in between
 * do not shift it.
 *
 * @param after the arrival number of the last message of the previous page; 0 for the first page
 * @param size how many messages, at most {@link InboxAdmin#LIMIT}
 */
public record Page(long after, int size) {

    public Page {
        if (size < 1 || size > InboxAdmin.LIMIT) {
            throw new IllegalArgumentException("A page has 1 to " + InboxAdmin.LIMIT + " messages; was " + size);
        }
    }

    public static Page first(int size) {
        return new Page(0, size);
    }
}
