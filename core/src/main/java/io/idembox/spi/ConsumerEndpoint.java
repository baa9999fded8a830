// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import java.util.List;

/** A consumer as seen by its source. Thread-safe. */
public interface ConsumerEndpoint {

    String consumer();

    /** The consumer's original name; a rename does not change it. Use it in systems outside the inbox's database. */
    String originalName();

    ConsumerPolicy policy();

    /**
     * Handles or stores deliveries of partitions that this process owns, in one transaction as far as possible.
     * Acknowledges each after the commit, or releases it. A delivery of a partition that another process has taken is
     * released.
     *
     * @throws io.idembox.StoreUnavailableException when the database is unavailable; nothing was acknowledged or
     *     released, deliver again
     * @throws io.idembox.ConsumerStoppedException when the consumer is stopped; deliver nothing more
     */
    List<Receipt> receive(List<? extends Delivery> deliveries);

    /** The ownership and read positions of partitions. */
    Partitions partitions();

    /** Publishes an event to the listeners of the inbox. */
    void publish(InboxEvent event);
}
