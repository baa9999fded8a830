// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Describes why a file cannot be read. Pure. */
public final class FileErrorText {

    private FileErrorText() {}

    public static String reason(Exception unreadable) {
        if (unreadable instanceof NoSuchFileException) {
            return "no such file.";
        }
        if (unreadable instanceof AccessDeniedException) {
            return "permission denied.";
        }
        return unreadable + ".";
    }
}
