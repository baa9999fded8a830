// SPDX-License-Identifier: Apache-2.0
/** Policies: immutable records with the settings of consumers, outbox destinations and intents. */
@NullMarked
package io.idembox.policy;

import org.jspecify.annotations.NullMarked;
