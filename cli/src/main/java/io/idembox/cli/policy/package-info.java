// SPDX-License-Identifier: Apache-2.0
/** {@code idembox policy}: check, show and compare policy files without a database. */
@NullMarked
package io.idembox.cli.policy;

import org.jspecify.annotations.NullMarked;
