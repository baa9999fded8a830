// SPDX-License-Identifier: Apache-2.0
/** The filter language: reads what people write. Pure; knows no SQL. */
@NullMarked
package io.idembox.internal.filter;

import org.jspecify.annotations.NullMarked;
