// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of applications that use an inbox: {@link io.idembox.testkit.InboxHarness} acts as the broker, {@link
 * io.idembox.testkit.CrashWindows} runs a test once per crash window, {@link io.idembox.testkit.ManualClock} controls
 * time.
 */
@NullMarked
package io.idembox.testkit;

import org.jspecify.annotations.NullMarked;
