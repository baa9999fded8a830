// SPDX-License-Identifier: Apache-2.0
/** What an adapter implements: deliveries, payload codecs, payload validators. May change until 1.0. */
@NullMarked
package io.idembox.spi;

import org.jspecify.annotations.NullMarked;
