// SPDX-License-Identifier: Apache-2.0
/** {@code idembox import-dlt}: dead letters of others become parked messages. */
@NullMarked
package io.idembox.cli.deadletters;

import org.jspecify.annotations.NullMarked;
