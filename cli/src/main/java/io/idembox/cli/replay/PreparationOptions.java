// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.replay;

import io.idembox.admin.Replays;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.FileErrorText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** SQL that runs first, in the transaction that starts a replay. */
public final class PreparationOptions {

    private static final int MAX_AUDIT_LENGTH = 1_500;

    @Option(
            names = "--first",
            paramLabel = "SQL",
            description =
                    "SQL to run first, in the transaction that starts the replay, such as truncating a table. It must not commit.")
    @Nullable
    String sql;

    @Option(names = "--first-file", paramLabel = "FILE", description = "Read the SQL of --first from a file.")
    @Nullable
    Path file;

    /** The statements; empty when there are none. */
    Optional<String> text() {
        if (sql != null && file != null) {
            throw CommandException.usage("Use either --first or --first-file, not both.");
        }
        String text = file == null ? sql : read(file);
        if (text != null && text.isBlank()) {
            throw CommandException.usage("There is no statement in " + (file == null ? "--first" : file) + ".");
        }
        return Optional.ofNullable(text);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw CommandException.usage("The file " + file + " cannot be read: " + FileErrorText.reason(unreadable));
        }
    }

    /** The SQL as stored in the audit trail: on one line; a long text is cut and its SHA-256 appended. */
    static String auditText(String sql) {
        String line = sql.strip().replaceAll("[\\s\\p{Cntrl}]+", " ");
        return line.length() <= MAX_AUDIT_LENGTH
                ? "first: " + line
                : "first: " + line.substring(0, MAX_AUDIT_LENGTH) + " ... (" + sql.length() + " characters, SHA-256 "
                        + hash(sql) + ")";
    }

    private static String hash(String sql) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(sql.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java has SHA-256", impossible);
        }
    }

    /** Sends the text unchanged: the database accepts several statements at once. */
    static Replays.Preparation preparation(Optional<String> text) {
        return connection -> {
            if (text.isPresent()) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(text.get());
                }
            }
        };
    }
}
