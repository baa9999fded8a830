// SPDX-License-Identifier: Apache-2.0
/** What people do: looking, explaining, and commands. Decides; the store writes. */
@NullMarked
package io.idembox.internal.admin;

import org.jspecify.annotations.NullMarked;
