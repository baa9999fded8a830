// SPDX-License-Identifier: Apache-2.0
/**
 * Kafka as a source of messages, and as a place to publish them. {@link io.idembox.kafka.KafkaSource} is the way in, {@link
 * io.idembox.kafka.KafkaPublisher} the way out.
 */
@NullMarked
package io.idembox.kafka;

import org.jspecify.annotations.NullMarked;
