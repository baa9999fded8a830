// SPDX-License-Identifier: Apache-2.0
/** {@code idembox consumers}: list, describe, pause and resume. */
@NullMarked
package io.idembox.cli.consumers;

import org.jspecify.annotations.NullMarked;
