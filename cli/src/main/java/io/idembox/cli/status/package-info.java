// SPDX-License-Identifier: Apache-2.0
/** {@code idembox status}: the backlog of all consumers. */
@NullMarked
package io.idembox.cli.status;

import org.jspecify.annotations.NullMarked;
