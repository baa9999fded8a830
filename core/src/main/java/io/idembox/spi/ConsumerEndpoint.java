// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import java.util.List;

/** A consumer as its source sees it. Thread-safe. */
public interface ConsumerEndpoint {

    String consumer();

    /** The consumer's name when the inbox first knew it; a rename keeps it. For what is written outside the inbox's database. */
    String firstName();

    ConsumerPolicy policy();

    /**
     * Handles or stores the deliveries of lanes that were taken, in one transaction as far as possible, and tells each of them:
     * acknowledged after the commit, or released. One of a lane that is somebody else's by now is released.
     *
     * @throws io.idembox.StoreUnavailableException when the database does not answer; nothing was told, bring them again
     * @throws io.idembox.ConsumerStoppedException when the consumer stands still for good; bring nothing more
     */
    List<Receipt> receive(List<? extends Delivery> deliveries);

    /** Who reads what, and how far. */
    Partitions partitions();

    /** Tells the listeners of the inbox. */
    void publish(InboxEvent event);
}
