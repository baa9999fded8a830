// SPDX-License-Identifier: Apache-2.0
/** {@code idembox consumers}: who there is, pause and resume. */
@NullMarked
package io.idembox.cli.consumers;

import org.jspecify.annotations.NullMarked;
