// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The shipped SQL files, as they are in the source tree. */
public final class SqlFiles {

    static final Path HOME = Path.of(System.getProperty("basedir", ""))
            .resolve("src/main/resources/io/idembox/sql")
            .toAbsolutePath();

    private SqlFiles() {}

    /** The names of all statements in all folders. */
    public static Set<String> names() {
        Set<String> names = new TreeSet<>();
        Stream.of("common", "postgresql", "portable").forEach(folder -> names.addAll(names(folder)));
        return names;
    }

    /** The names of the statements of one folder. */
    static Set<String> names(String folder) {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(HOME.resolve(folder))) {
            for (Path file : files.toList()) {
                String concern = file.getFileName().toString().replace(".sql", "");
                SqlFile.statementsOf(file.toString(), Files.readString(file))
                        .keySet()
                        .forEach(name -> names.add(concern + "." + name));
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return names;
    }
}
