// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/**
 * Thrown when a consumer is stopped on this node. An operator has to act before the application is started again.
 * Either a handler ended the inbox's transaction through the driver: the messages of that batch are parked, and other
 * consumers continue. Or a statement of the inbox itself fails because its tables are missing or changed: nothing was
 * acknowledged, and the cause is the database's error.
 */
public final class ConsumerStoppedException extends InboxException {

    private static final long serialVersionUID = 1L;

    public ConsumerStoppedException(String message) {
        super(message, null);
    }

    public ConsumerStoppedException(String message, InboxException cause) {
        super(message, cause);
    }
}
