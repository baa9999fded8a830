// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

/** Where an unfinished message stands. A finished one has no entry. */
public enum EntryState {
    RECEIVED,
    WAITING,
    IN_PROGRESS,
    FAILED_RETRYABLE,
    FAILED_TERMINAL,
    PARKED,
    DISCARDED
}
