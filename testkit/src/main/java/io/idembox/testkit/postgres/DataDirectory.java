// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import io.idembox.testkit.process.LogFile;
import io.idembox.testkit.process.Watchdog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The data directory of a server, with its log in {@code server.log}.
 *
 * @param temporary created by the test kit, and removed by the {@link Watchdog}
 */
record DataDirectory(Path path, boolean temporary) {

    static DataDirectory createTemporary() {
        try {
            // Why directly in the temporary directory: as root the server may run as another user, who needs access to
            // it.
            return new DataDirectory(
                    Files.createTempDirectory("idembox-postgres-data-").toAbsolutePath(), true);
        } catch (IOException e) {
            throw new PostgresServerException("No temporary data directory could be created: " + e.getMessage(), e);
        }
    }

    static DataDirectory kept(Path path) {
        DataDirectory data = new DataDirectory(path.toAbsolutePath().normalize(), false);
        try {
            Files.createDirectories(data.path);
            // As root the directory is handed over to another user, so it must not hold anything else.
            if (!data.isInitialised() && !data.isEmpty()) {
                throw new PostgresServerException(
                        "%s is not empty and holds no PostgreSQL data (no PG_VERSION). Use an empty or a new directory."
                                .formatted(data.path));
            }
        } catch (IOException e) {
            throw new PostgresServerException(
                    "Data directory %s cannot be used: %s".formatted(path, e.getMessage()), e);
        }
        return data;
    }

    boolean isInitialised() {
        return Files.exists(path.resolve("PG_VERSION"));
    }

    private boolean isEmpty() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.findAny().isEmpty();
        }
    }

    LogFile log() {
        return new LogFile(path.resolve("server.log"));
    }

    /** Written when the server starts, removed when it shuts down in order. */
    Path lockFile() {
        return path.resolve("postmaster.pid");
    }

    /** Whether the server with this pid accepts connections, according to its lock file. */
    boolean isReady(long pid) {
        try {
            List<String> lock = Files.readAllLines(lockFile(), StandardCharsets.ISO_8859_1);
            return lock.size() >= 8
                    && lock.get(0).strip().equals(Long.toString(pid))
                    && lock.get(7).strip().equals("ready");
        } catch (IOException e) {
            return false; // not written yet
        }
    }

    void clear() {
        try (Stream<Path> files = Files.list(path)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                deleteTree(file);
            }
        } catch (IOException e) {
            throw new PostgresServerException(
                    "Data directory %s is incomplete and could not be cleared: remove it. %s"
                            .formatted(path, e.getMessage()),
                    e);
        }
    }

    static void deleteTree(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
