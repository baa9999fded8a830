// SPDX-License-Identifier: Apache-2.0
/** Policies as a file that people read: YAML in, the records of {@link io.idembox.policy} out. Needs snakeyaml-engine. */
@NullMarked
package io.idembox.policy.yaml;

import org.jspecify.annotations.NullMarked;
