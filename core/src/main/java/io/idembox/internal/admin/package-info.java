// SPDX-License-Identifier: Apache-2.0
/** Operator commands: reading, explaining and changing messages. Decides; the store writes. */
@NullMarked
package io.idembox.internal.admin;

import org.jspecify.annotations.NullMarked;
