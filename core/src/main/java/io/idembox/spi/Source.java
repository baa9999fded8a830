// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

/** A broker that brings deliveries to a consumer by itself. What a broker adapter implements. */
@FunctionalInterface
public interface Source {

    /**
     * Begins to bring deliveries; called once, when the consumer starts. Settings that cannot work or would lose messages are
     * refused here; a broker that is away is waited for in the background.
     *
     * @throws io.idembox.InboxConfigurationException with what to change
     */
    RunningSource open(ConsumerEndpoint endpoint);
}
