// SPDX-License-Identifier: Apache-2.0
/** {@code idembox outbox}: list and manage messages of the outbox. */
@NullMarked
package io.idembox.cli.outbox;

import org.jspecify.annotations.NullMarked;
