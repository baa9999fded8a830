// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import javax.sql.DataSource;

/**
 * A base backup of a running PostgreSQL, by its low-level functions: the embedded binaries have no {@code pg_basebackup}. The
 * write-ahead log is copied last, so a server starts on the copy alone and has everything that was committed when this began.
 */
final class Backup {

    private static final String WAL = "pg_wal";

    /** Belong to the running server. */
    private static final Set<String> NOT_COPIED =
            Set.of("postmaster.pid", "postmaster.opts", "server.log", "epg-lock", "pg_replslot", WAL);

    private Backup() {}

    static void take(DataSource server, Path from, Path to) throws SQLException, IOException {
        try (Connection connection = server.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select pg_backup_start('failover', true)");
            copy(from, to, NOT_COPIED);
            try (ResultSet row = statement.executeQuery("select labelfile from pg_backup_stop(false)")) {
                row.next();
                Files.writeString(to.resolve("backup_label"), row.getString(1));
            }
        }
        copy(from.resolve(WAL), to.resolve(WAL), Set.of());
        Files.createDirectories(to.resolve("pg_replslot"));
    }

    private static void copy(Path from, Path to, Set<String> without) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                if (isLeftOut(directory)) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Path target = to.resolve(from.relativize(directory));
                if (!Files.exists(target)) {
                    Files.copy(directory, target, StandardCopyOption.COPY_ATTRIBUTES); // PostgreSQL wants mode 0700
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!isLeftOut(file)) {
                    try {
                        Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
                    } catch (NoSuchFileException removed) {
                        // The server removed it meanwhile; recovery from the write-ahead log does the same in the copy.
                    }
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
                if (failed instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failed;
            }

            private boolean isLeftOut(Path file) {
                return file.getParent().equals(from)
                        && without.contains(file.getFileName().toString());
            }
        });
    }
}
