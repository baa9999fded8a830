// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.MessageId;
import io.idembox.admin.Attempt;
import io.idembox.admin.FailureGroup;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.OperationRecord;
import io.idembox.admin.Page;
import io.idembox.admin.StoredPayload;
import io.idembox.internal.engine.RegisteredConsumer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks, and changes nothing. Every method is a transaction of its own. Thread-safe. */
public interface AdminStore {

    List<String> consumers();

    Optional<InboxMessage> find(RegisteredConsumer consumer, MessageId id);

    List<InboxMessage> look(RegisteredConsumer consumer, Filter filter, Page page);

    /**
     * What a message brought; empty when no body is kept.
     *
     * @param revision null for the newest
     */
    Optional<StoredPayload> payload(long arrival, @Nullable Integer revision);

    /** How many match, counted no further than that. */
    int count(RegisteredConsumer consumer, Filter filter, int atMost);

    /** What went wrong, the most frequent first. */
    List<FailureGroup> groups(RegisteredConsumer consumer, Filter filter, int atMost);

    /** How many are to be handled, counted no further than that, and since when the first of them is there. */
    Waiting waiting(RegisteredConsumer consumer, int atMost);

    /**
     * What is to be handled.
     *
     * @param oldest when the first was received; null when there is none
     */
    record Waiting(int number, @Nullable Instant oldest) {}

    /** The oldest first; of more than that, the last. */
    List<Attempt> attempts(long arrival, int atMost);

    /** The oldest first; of more than that, the last. */
    List<OperationRecord> operations(RegisteredConsumer consumer, long arrival, int atMost);

    /** Where a message stands in its key, and whom it waits for: who is due or worked on, else the first one before it. */
    KeyPosition turn(RegisteredConsumer consumer, long arrival);
}
