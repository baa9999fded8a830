// SPDX-License-Identifier: Apache-2.0
/** {@code idembox outbox}: what is sent. */
@NullMarked
package io.idembox.cli.outbox;

import org.jspecify.annotations.NullMarked;
