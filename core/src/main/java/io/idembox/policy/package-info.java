// SPDX-License-Identifier: Apache-2.0
/** Immutable records that say how a consumer behaves: recording, identity, retry, limits. */
@NullMarked
package io.idembox.policy;

import org.jspecify.annotations.NullMarked;
