// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.spi.PublishResult;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Classifies errors of Kafka's producer: refused or failed for the record, fatal or not for the producer. */
final class SendError {

    private static final int MAX_DEPTH = 20;

    private SendError() {}

    /**
     * Returns {@code Refused} only for errors of this one record. Errors of the topic, the brokers, the ACLs or the
     * network affect all messages and may be fixed while they wait: refusing them would park the whole outbox. A record
     * that shared a batch with a refused one failed, too: Kafka rejects the whole batch and accepts the others on the
     * next attempt.
     */
    static PublishResult resultOf(Throwable error) {
        return isRecordError(error) ? new PublishResult.Refused(error) : new PublishResult.Failed(error);
    }

    private static boolean isRecordError(Throwable error) {
        return error instanceof RecordTooLargeException
                || error instanceof InvalidRecordException
                || error instanceof InvalidTimestampException
                || error instanceof SerializationException;
    }

    /** Whether the producer cannot recover from this error: every later send fails as well. */
    static boolean isFatalForProducer(Throwable error) {
        Throwable cause = error;
        for (int depth = 0; cause != null && depth < MAX_DEPTH; depth++) {
            if (isFatal(cause)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private static boolean isFatal(Throwable error) {
        return error instanceof ProducerFencedException
                || error instanceof InvalidProducerEpochException
                || error instanceof InvalidPidMappingException
                // Includes UnknownProducerIdException: the broker no longer knows the producer.
                || error instanceof OutOfOrderSequenceException
                || error instanceof UnsupportedVersionException
                || error instanceof AuthenticationException
                || (error instanceof AuthorizationException && !(error instanceof TopicAuthorizationException))
                // The producer is closed or in a fatal state.
                || error instanceof IllegalStateException;
    }
}
