// SPDX-License-Identifier: Apache-2.0
/** What happened: {@link io.idembox.event.InboxEvent} and who listens to it. */
@NullMarked
package io.idembox.event;

import org.jspecify.annotations.NullMarked;
