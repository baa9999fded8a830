// SPDX-License-Identifier: Apache-2.0
/**
 * The application API: {@link io.idembox.Inbox}, {@link io.idembox.Message}, {@link io.idembox.Receipt}, handlers and
 * exceptions. Packages below {@code io.idembox.internal} are not API.
 */
@NullMarked
package io.idembox;

import org.jspecify.annotations.NullMarked;
