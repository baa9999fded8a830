// SPDX-License-Identifier: Apache-2.0
/**
 * What an application types: {@link io.idembox.Inbox}, {@link io.idembox.Message}, {@link io.idembox.Receipt},
 * handlers, and the exceptions. Everything under {@code io.idembox.internal} is not API.
 */
@NullMarked
package io.idembox;

import org.jspecify.annotations.NullMarked;
