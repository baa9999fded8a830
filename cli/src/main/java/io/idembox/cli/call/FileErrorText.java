// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Why a file cannot be read, as a person would say it. Pure. */
public final class FileErrorText {

    private FileErrorText() {}

    public static String why(Exception unreadable) {
        if (unreadable instanceof NoSuchFileException) {
            return "there is no such file.";
        }
        if (unreadable instanceof AccessDeniedException) {
            return "this user may not read it.";
        }
        return unreadable + ".";
    }
}
