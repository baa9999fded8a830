// SPDX-License-Identifier: Apache-2.0
/** {@code idembox policy}: files of policies, without a database. */
@NullMarked
package io.idembox.cli.policy;

import org.jspecify.annotations.NullMarked;
