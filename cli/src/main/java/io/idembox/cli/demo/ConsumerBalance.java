// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

/**
 * What one consumer made of the orders that were sent.
 *
 * @param sent different orders in the topic
 * @param effects rows that it wrote
 * @param lost orders that have no effect and are not parked either
 * @param doubled effects too many: a second one of an order, or any of poison
 * @param doubledBySender of these, those of orders that are in the topic more than once
 * @param reordered effects that came after that of a later order of the same account
 * @param parked orders that are set aside, with their error
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

    /** Nothing lost, nothing doubled, nothing out of order. */
    boolean isClean() {
        return lost == 0 && doubled == 0 && reordered == 0;
    }
}
