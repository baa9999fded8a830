// SPDX-License-Identifier: Apache-2.0
/** A fixture of the gates. */
@NullMarked
package gate;

import org.jspecify.annotations.NullMarked;
