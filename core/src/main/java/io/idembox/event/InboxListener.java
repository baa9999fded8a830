// SPDX-License-Identifier: Apache-2.0
package io.idembox.event;

/** Is told what the inbox did, on the thread that did it. Must be quick; what it throws is logged and ignored. */
@FunctionalInterface
public interface InboxListener {

    void on(InboxEvent event);
}
