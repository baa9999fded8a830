// SPDX-License-Identifier: Apache-2.0
/** From a committed message to its confirmation, beside transaction-outbox; and handlers that send. */
@NullMarked
package io.idembox.benchmarks.outbox;

import org.jspecify.annotations.NullMarked;
