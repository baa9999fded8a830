// SPDX-License-Identifier: Apache-2.0
package io.idembox.event;

/**
 * Receives the events of an inbox, on the thread that caused them. Must return quickly; an exception is logged and
 * ignored.
 */
@FunctionalInterface
public interface InboxListener {

    void on(InboxEvent event);
}
