// SPDX-License-Identifier: Apache-2.0
/** The one door for people: {@link io.idembox.admin.InboxAdmin} looks, explains, and changes what is unfinished by command. */
@NullMarked
package io.idembox.admin;

import org.jspecify.annotations.NullMarked;
