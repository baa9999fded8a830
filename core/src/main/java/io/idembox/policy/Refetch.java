// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/**
 * Fetches missing messages from another system and passes them to the inbox as deliveries. Called when a gap has been
 * open for the gap timeout, and again each time that timeout has passed. May be called on several nodes for the same
 * gap; messages that arrive twice are duplicates. Called on its own thread, one gap after another: while it runs, this
 * node processes no other gap of the consumer.
 */
@FunctionalInterface
public interface Refetch {

    void refetch(Gap gap) throws Exception;
}
