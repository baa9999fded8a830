// SPDX-License-Identifier: Apache-2.0
/**
 * Kafka adapter: {@link io.idembox.kafka.KafkaSource} reads messages from topics, {@link
 * io.idembox.kafka.KafkaPublisher} publishes the outbox to topics, and {@link io.idembox.kafka.KafkaDeadLetters}
 * imports dead-letter topics.
 */
@NullMarked
package io.idembox.kafka;

import org.jspecify.annotations.NullMarked;
