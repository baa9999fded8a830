// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

/** Delivers messages of a broker to a consumer. Implemented by broker adapters. */
@FunctionalInterface
public interface Source {

    /**
     * Starts to deliver messages. Called once, when the consumer starts. Refuses settings that cannot work or would
     * lose messages; an unreachable broker is retried in the background.
     *
     * @throws io.idembox.InboxConfigurationException when a setting must be changed; the message says which
     */
    RunningSource open(ConsumerEndpoint endpoint);
}
