// SPDX-License-Identifier: Apache-2.0
/**
 * A real Kafka broker for tests and crash experiments, without Docker: {@link io.idembox.testkit.kafka.KafkaServer} runs
 * the broker of the class path as a child process that can be killed and started again, and that never outlives the JVM.
 */
@NullMarked
package io.idembox.testkit.kafka;

import org.jspecify.annotations.NullMarked;
