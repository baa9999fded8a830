// SPDX-License-Identifier: Apache-2.0
/** What the programmes that break processes have in common: their options, their processes, what they found. */
package io.idembox.acceptance.programme;
