// SPDX-License-Identifier: Apache-2.0
/**
 * {@code idembox demo}: an order stream through a real broker into a real database, and on through an outbox to a
 * second service; consumers that are killed and frozen on the way, a naive one beside them, and a check of all effects
 * at the end.
 */
@NullMarked
package io.idembox.cli.demo;

import org.jspecify.annotations.NullMarked;
