// SPDX-License-Identifier: Apache-2.0
/** The filter language: lexer, parser and conditions. Pure; contains no SQL. */
@NullMarked
package io.idembox.internal.filter;

import org.jspecify.annotations.NullMarked;
