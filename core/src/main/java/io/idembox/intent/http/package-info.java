// SPDX-License-Identifier: Apache-2.0
/**
 * A sender for intents that are HTTP calls, such as a payment or a webhook: a handler records an
 * {@link io.idembox.intent.http.HttpCall}, and {@link io.idembox.intent.http.HttpSender} makes it. Needs the JDK only.
 */
@NullMarked
package io.idembox.intent.http;

import org.jspecify.annotations.NullMarked;
