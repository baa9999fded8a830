// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

/** A message at a version: a command changes it only if it still has this version. */
public record MessageVersion(long arrival, String version) {}
