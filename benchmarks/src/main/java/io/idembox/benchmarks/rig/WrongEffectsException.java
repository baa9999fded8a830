// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

/** The database and the answers disagree: whatever the run measured, it is not published. */
public final class WrongEffectsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public WrongEffectsException(String message) {
        super(message);
    }
}
