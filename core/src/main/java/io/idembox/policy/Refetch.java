// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/**
 * Gets missing messages from wherever they can be had and gives them to the inbox as if they had been delivered. Called
 * when a gap has been open for as long as the policy says, and again whenever that time has passed once more. May be called
 * on several nodes for the same gap: what comes twice is a duplicate. Called on a thread of its own, one gap after another:
 * while it runs, this node looks after no other gap of the consumer.
 */
@FunctionalInterface
public interface Refetch {

    void refetch(Gap gap) throws Exception;
}
