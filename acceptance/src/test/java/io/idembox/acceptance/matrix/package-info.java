// SPDX-License-Identifier: Apache-2.0
/** Every combination of policies is refused with a reason, or drains a standard stream of messages. */
package io.idembox.acceptance.matrix;
