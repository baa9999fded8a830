// SPDX-License-Identifier: Apache-2.0
/**
 * A ready sender for intents that are HTTP calls, such as a payment or a webhook: what a handler records
 * ({@link io.idembox.intent.http.HttpCall}), and who calls ({@link io.idembox.intent.http.HttpSender}). Needs the JDK only.
 */
@NullMarked
package io.idembox.intent.http;

import org.jspecify.annotations.NullMarked;
