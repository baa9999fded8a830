// SPDX-License-Identifier: Apache-2.0
/** The threads of a node: who claims and handles what is stored, who keeps leases alive, who tidies up, who wakes whom. */
@NullMarked
package io.idembox.internal.worker;

import org.jspecify.annotations.NullMarked;
