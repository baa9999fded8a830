// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

/**
 * The result of one consumer, compared with the orders that were sent.
 *
 * @param sent different orders in the topic
 * @param effects rows that it wrote
 * @param lost orders that have no effect and are not parked
 * @param doubled surplus effects: a second one of an order, or any of a poison order
 * @param doubledBySender of these, those of orders that are in the topic more than once
 * @param reordered effects that came after that of a later order of the same account
 * @param parked orders that are parked, with their error
 */
record ConsumerBalance(
        Role role,
        long sent,
        long effects,
        long lost,
        long doubled,
        long doubledBySender,
        long reordered,
        long parked) {

    boolean isClean() {
        return lost == 0 && doubled == 0 && reordered == 0;
    }
}
