// SPDX-License-Identifier: Apache-2.0
/**
 * The audit trail of operator commands. Each operation is sealed to the previous one, so later changes are detected.
 */
@NullMarked
package io.idembox.audit;

import org.jspecify.annotations.NullMarked;
