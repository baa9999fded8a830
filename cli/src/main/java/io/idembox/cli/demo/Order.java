// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

/**
 * One order, and the payload of its message.
 *
 * @param nr its position in the stream
 * @param account its key: the orders of an account have their effects in order
 * @param number its number among the orders of the account, from 1 on
 */
record Order(int nr, String account, int number, int cents, PlannedOutcome plannedOutcome) {

    String id() {
        return "order-" + nr;
    }
}
