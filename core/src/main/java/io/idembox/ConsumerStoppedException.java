// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/**
 * A consumer was stopped because a handler ended the inbox's transaction behind its back. Its messages are parked; a
 * human has to look at the handler before the application is started again. Other consumers go on.
 */
public final class ConsumerStoppedException extends InboxException {

    private static final long serialVersionUID = 1L;

    public ConsumerStoppedException(String message) {
        super(message, null);
    }
}
