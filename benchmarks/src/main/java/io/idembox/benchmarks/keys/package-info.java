// SPDX-License-Identifier: Apache-2.0
/** What the key of the ledger costs, compared with the other keys it could have had. */
@NullMarked
package io.idembox.benchmarks.keys;

import org.jspecify.annotations.NullMarked;
