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

/** What an error of Kafka's producer means for the record that it is about, and for the producer. */
final class SendError {

    private static final int DEPTH = 20;

    private SendError() {}

    /**
     * Refused is only what is wrong with this one record. What is wrong with the topic, the brokers, the rights or the network
     * may be mended while the message waits, and concerns all others, too: were it refused, the whole outbox would be parked.
     * So is a record that was in one batch with a refused one: Kafka takes none of them, and the others next time.
     */
    static PublishResult of(Throwable error) {
        return isAboutTheRecord(error) ? new PublishResult.Refused(error) : new PublishResult.Failed(error);
    }

    private static boolean isAboutTheRecord(Throwable error) {
        return error instanceof RecordTooLargeException
                || error instanceof InvalidRecordException
                || error instanceof InvalidTimestampException
                || error instanceof SerializationException;
    }

    /** Kafka's producer does not come back from some errors: everything that it is given later fails by them, too. */
    static boolean endsItsClient(Throwable error) {
        Throwable cause = error;
        for (int depth = 0; cause != null && depth < DEPTH; depth++) {
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
                // Among them the one of a producer that the broker does not know any more.
                || error instanceof OutOfOrderSequenceException
                || error instanceof UnsupportedVersionException
                || error instanceof AuthenticationException
                || (error instanceof AuthorizationException && !(error instanceof TopicAuthorizationException))
                // It is closed, or it says that it is in no state to be used.
                || error instanceof IllegalStateException;
    }
}
