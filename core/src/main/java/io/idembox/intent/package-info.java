// SPDX-License-Identifier: Apache-2.0
/** Intents: calls to outside systems, such as a payment or a mail, with their senders and results. */
@NullMarked
package io.idembox.intent;

import org.jspecify.annotations.NullMarked;
