// SPDX-License-Identifier: Apache-2.0
/** The route of a message: receive, record, handle, settle. No SQL, no broker. Not API. */
@NullMarked
package io.idembox.internal.engine;

import org.jspecify.annotations.NullMarked;
