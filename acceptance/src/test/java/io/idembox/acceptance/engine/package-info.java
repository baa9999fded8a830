// SPDX-License-Identifier: Apache-2.0
/**
 * What the programmes share that run the engine without its threads, step by step, on a real database: crash points,
 * interleavings and the policy matrix.
 */
package io.idembox.acceptance.engine;
