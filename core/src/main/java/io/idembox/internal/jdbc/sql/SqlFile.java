// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reads a file of SQL statements: each begins with a line {@code -- name: claim}; other comments are for readers. */
final class SqlFile {

    private static final String NAME = "-- name: ";

    private SqlFile() {}

    /** The statements of a resource by name, without comments; empty if there is no such resource. */
    static Optional<Map<String, String>> read(String resource) {
        try (InputStream in = SqlFile.class.getResourceAsStream(resource)) {
            return in == null
                    ? Optional.empty()
                    : Optional.of(statementsOf(resource, new String(in.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    static Map<String, String> statementsOf(String resource, String content) {
        Map<String, StringBuilder> statements = new LinkedHashMap<>();
        StringBuilder current = new StringBuilder();
        for (String line : content.lines().toList()) {
            if (line.startsWith(NAME)) {
                String name = line.substring(NAME.length()).strip();
                current = new StringBuilder();
                if (statements.put(name, current) != null) {
                    throw new IllegalArgumentException(resource + " has two statements " + name);
                }
            } else if (!withoutComment(line).isBlank()) {
                if (statements.isEmpty()) {
                    throw new IllegalArgumentException(resource + " has SQL before its first name: " + line);
                }
                current.append(withoutComment(line)).append('\n');
            }
        }
        Map<String, String> texts = new LinkedHashMap<>();
        statements.forEach((name, text) -> texts.put(name, withoutEnd(text.toString())));
        return texts;
    }

    /** No string of our statements contains two hyphens. */
    private static String withoutComment(String line) {
        int comment = line.indexOf("--");
        return comment < 0 ? line : line.substring(0, comment).stripTrailing();
    }

    /** A semicolon at the end is for tools that run the file; between statements of a bundle it stays. */
    private static String withoutEnd(String text) {
        String stripped = text.strip();
        return stripped.endsWith(";") ? stripped.substring(0, stripped.length() - 1) : stripped;
    }
}
