// SPDX-License-Identifier: Apache-2.0
/** {@code idembox audit}: list, export and verify the audit trail. */
@NullMarked
package io.idembox.cli.audit;

import org.jspecify.annotations.NullMarked;
