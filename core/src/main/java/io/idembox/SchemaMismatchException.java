// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** Thrown when the tables are missing, or older or newer than this version of the library requires. */
public final class SchemaMismatchException extends InboxException {

    private static final long serialVersionUID = 1L;

    private final int found;
    private final int needed;

    /**
     * @param found the version in the database, 0 when there are no tables
     * @param needed the version this library requires
     */
    public SchemaMismatchException(int found, int needed, String message) {
        super(message, null);
        this.found = found;
        this.needed = needed;
    }

    public int found() {
        return found;
    }

    public int needed() {
        return needed;
    }
}
