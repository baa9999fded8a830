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

/** Reads messages for operators and changes nothing. Every method is a transaction of its own. Thread-safe. */
public interface AdminStore {

    List<String> consumers();

    Optional<InboxMessage> find(RegisteredConsumer consumer, MessageId id);

    List<InboxMessage> findPage(RegisteredConsumer consumer, Filter filter, Page page);

    /**
     * Returns the payload of a message; empty when its body is not stored.
     *
     * @param revision null for the newest
     */
    Optional<StoredPayload> payload(long arrival, @Nullable Integer revision);

    /** Counts the messages that match, up to the limit. */
    int count(RegisteredConsumer consumer, Filter filter, int atMost);

    /** Returns failure groups, the largest first. */
    List<FailureGroup> groups(RegisteredConsumer consumer, Filter filter, int atMost);

    /** Counts the messages to be handled, up to the limit, and returns when the oldest was received. */
    Waiting waiting(RegisteredConsumer consumer, int atMost);

    /**
     * The messages to be handled.
     *
     * @param oldest when the first was received; null when there is none
     */
    record Waiting(int number, @Nullable Instant oldest) {}

    /** Returns the last attempts, oldest first. */
    List<Attempt> attempts(long arrival, int atMost);

    /** Returns the last operations, oldest first. */
    List<OperationRecord> operations(RegisteredConsumer consumer, long arrival, int atMost);

    /**
     * Returns the position of a message in its key, and the message it waits for: the one that is due or in progress,
     * otherwise the first one ahead of it.
     */
    KeyPosition keyPosition(RegisteredConsumer consumer, long arrival);
}
