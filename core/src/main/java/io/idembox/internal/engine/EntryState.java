// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

/** Where an unfinished message stands. A finished one has no entry; one that is worked on is known by its lease. */
public enum EntryState {
    RECEIVED,
    WAITING,
    FAILED_RETRYABLE,
    FAILED_TERMINAL,
    PARKED,
    DISCARDED
}
