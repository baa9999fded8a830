// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.audit;

import io.idembox.audit.AuditHead;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.FileErrorText;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads heads that were kept outside the database: lines of {@code number seal}, as the logger {@code
 * io.idembox.audit} writes them, or an export, whose last line is a head. No side effects except reading the file.
 */
final class KeptHeads {

    private static final Pattern EXPORTED = Pattern.compile("^\\{\\s*\"head\"\\s*:\\s*\"([^\"]*)\"");

    private KeptHeads() {}

    static List<AuditHead> in(Path file) {
        List<AuditHead> heads = new ArrayList<>();
        // Line by line: an export has a line for every operation.
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                Matcher exported = EXPORTED.matcher(line);
                if (exported.find()) {
                    heads.add(head(file, number, exported.group(1)));
                } else if (!line.isBlank() && !line.startsWith("#") && !line.startsWith("{")) {
                    heads.add(head(file, number, line));
                }
            }
        } catch (IOException unreadable) {
            throw CommandException.unavailable(
                    "The heads in " + file + " cannot be read: " + FileErrorText.reason(unreadable), unreadable);
        }
        if (heads.isEmpty()) {
            throw CommandException.usage(
                    "There is no head in " + file + ", so the end of the audit trail was not verified.");
        }
        return heads;
    }

    private static AuditHead head(Path file, int number, String text) {
        try {
            return AuditHead.parse(text);
        } catch (IllegalArgumentException unreadable) {
            throw CommandException.usage(file + ", line " + number + ": " + unreadable.getMessage());
        }
    }
}
