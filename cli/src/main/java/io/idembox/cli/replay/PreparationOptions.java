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

/** What is done just before a replay, in the transaction in which it begins. */
public final class PreparationOptions {

    private static final int MOST = 1_500;

    @Option(
            names = "--first",
            paramLabel = "SQL",
            description =
                    "What is done first, in the transaction in which the replay begins, such as emptying a table. It must not commit.")
    @Nullable
    String sql;

    @Option(names = "--first-file", paramLabel = "FILE", description = "The same, from a file.")
    @Nullable
    Path file;

    /** The statements; empty when there are none. */
    Optional<String> text() {
        if (sql != null && file != null) {
            throw CommandException.usage("Say --first or --first-file, and not both.");
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
            throw CommandException.usage("The file " + file + " cannot be read: " + FileErrorText.why(unreadable));
        }
    }

    /** As it is kept in the trail: on one line, and a long one with what proves the rest. */
    static String told(String sql) {
        String line = sql.strip().replaceAll("[\\s\\p{Cntrl}]+", " ");
        return line.length() <= MOST
                ? "first: " + line
                : "first: " + line.substring(0, MOST) + " ... (" + sql.length() + " characters, SHA-256 " + hash(sql)
                        + ")";
    }

    private static String hash(String sql) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(sql.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java has SHA-256", impossible);
        }
    }

    /** Sent as it is: the database reads several statements, too. */
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
