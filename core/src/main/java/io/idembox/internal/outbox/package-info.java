// SPDX-License-Identifier: Apache-2.0
/** What is done with stored messages outside any transaction: publishing what was sent, bringing about what was intended. */
@NullMarked
package io.idembox.internal.outbox;

import org.jspecify.annotations.NullMarked;
