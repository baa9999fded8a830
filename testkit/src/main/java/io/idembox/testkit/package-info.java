// SPDX-License-Identifier: Apache-2.0
/**
 * For tests of applications that use an inbox: {@link io.idembox.testkit.InboxHarness} plays the broker, {@link
 * io.idembox.testkit.CrashWindows} runs a test once for every place where the process can break, {@link
 * io.idembox.testkit.ManualClock} moves time.
 */
@NullMarked
package io.idembox.testkit;

import org.jspecify.annotations.NullMarked;
