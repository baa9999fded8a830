// SPDX-License-Identifier: Apache-2.0
/** One runnable main per feature; all of them run on an embedded PostgreSQL, and in the tests. */
@NullMarked
package io.idembox.examples;

import org.jspecify.annotations.NullMarked;
