// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

/** A message as somebody saw it: a command works only if it still is as it was. */
public record MessageVersion(long arrival, String version) {}
