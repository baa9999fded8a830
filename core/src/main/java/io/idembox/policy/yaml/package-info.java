// SPDX-License-Identifier: Apache-2.0
/** Reads YAML policy files into the records of {@link io.idembox.policy}. Needs snakeyaml-engine. */
@NullMarked
package io.idembox.policy.yaml;

import org.jspecify.annotations.NullMarked;
