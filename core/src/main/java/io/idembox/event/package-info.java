// SPDX-License-Identifier: Apache-2.0
/** Events of an inbox, and their listener interface. */
@NullMarked
package io.idembox.event;

import org.jspecify.annotations.NullMarked;
