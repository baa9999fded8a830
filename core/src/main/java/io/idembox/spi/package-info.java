// SPDX-License-Identifier: Apache-2.0
/** Interfaces for adapters: sources, deliveries, publishers, payload codecs and validators. May change until 1.0. */
@NullMarked
package io.idembox.spi;

import org.jspecify.annotations.NullMarked;
