// SPDX-License-Identifier: Apache-2.0
/** Kafka as a source of messages. {@link io.idembox.kafka.KafkaSource} is the way in. */
@NullMarked
package io.idembox.kafka;

import org.jspecify.annotations.NullMarked;
