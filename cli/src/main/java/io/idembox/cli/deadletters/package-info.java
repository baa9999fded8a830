// SPDX-License-Identifier: Apache-2.0
/** {@code idembox import-dlt}: imports dead letters of other frameworks as parked messages. */
@NullMarked
package io.idembox.cli.deadletters;

import org.jspecify.annotations.NullMarked;
