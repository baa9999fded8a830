// SPDX-License-Identifier: Apache-2.0
/** Effects outside the database, such as a payment or a mail: what is intended, who does it, and what became of it. */
@NullMarked
package io.idembox.intent;

import org.jspecify.annotations.NullMarked;
