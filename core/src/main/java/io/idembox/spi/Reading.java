// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

/**
 * How far a lane was read.
 *
 * @param incarnation tells a topic from another one that had its name before, such as Kafka's topic id; at most 100 characters
 * @param next everything before this offset is acknowledged
 */
public record Reading(String incarnation, long next) {}
