// SPDX-License-Identifier: Apache-2.0
/** For tests of applications that use an inbox: {@link io.idembox.testkit.ManualClock} moves time. */
@NullMarked
package io.idembox.testkit;

import org.jspecify.annotations.NullMarked;
